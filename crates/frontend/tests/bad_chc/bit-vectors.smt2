(set-logic HORN)
(declare-fun P ((_ BitVec 32)) Bool)
(check-sat)
