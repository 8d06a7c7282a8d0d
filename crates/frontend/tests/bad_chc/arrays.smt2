(set-logic HORN)
(declare-fun P (Int (Array Int (_ BitVec 8))) Bool)
(check-sat)
