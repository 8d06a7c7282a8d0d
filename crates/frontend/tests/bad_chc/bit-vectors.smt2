(set-logic HORN)
(declare-fun P ((_ BitVec 0)) Bool)
(check-sat)
