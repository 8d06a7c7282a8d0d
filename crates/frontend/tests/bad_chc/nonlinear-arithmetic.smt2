(set-logic HORN)
(declare-fun P (Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (= y (* x x)) (P y))))
(check-sat)
