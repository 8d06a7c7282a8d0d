(set-logic HORN)
(declare-fun P (Bool) Bool)
(assert (P (P true)))
(check-sat)
