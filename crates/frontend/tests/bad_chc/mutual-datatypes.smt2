(set-logic HORN)
(declare-datatypes ((Tree 0) (Forest 0)) (((node (below Forest))) ((forest (trees (Array Int Tree))))))
(check-sat)
