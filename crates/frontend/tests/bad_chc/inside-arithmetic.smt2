(set-logic HORN)
(declare-fun P (Int) Bool)
(assert (forall ((x Int)) (=> (> (ite (P x) 1 0) 0) false)))
(check-sat)
