(set-logic HORN)
(declare-fun P (Int) Bool)
(assert (forall ((x Int)) (=> (> x 0) (P x))
