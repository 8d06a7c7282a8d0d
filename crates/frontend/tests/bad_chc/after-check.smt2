(set-logic HORN)
(declare-fun P (Int) Bool)
(check-sat)
(assert (P 1))
