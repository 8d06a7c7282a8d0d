(set-logic HORN)
(declare-fun P (Int (Array Int Int)) Bool)
(check-sat)
