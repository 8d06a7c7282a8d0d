(set-logic HORN)
(declare-fun P (Int (Array Int Int) (Array (Array Int Int) Int)) Bool)
(check-sat)
