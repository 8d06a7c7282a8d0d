(set-logic HORN)
(declare-fun P (Int) Bool)
(assert (=> (forall ((x Int)) (P x)) false))
(check-sat)
