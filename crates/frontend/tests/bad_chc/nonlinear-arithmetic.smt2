(set-logic HORN)
(declare-fun P (Real) Bool)
(assert (forall ((x Real) (y Real)) (=> (= y (* x x)) (P y))))
(check-sat)
