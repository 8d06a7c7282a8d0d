; A counter that may lose one more than it has, in the dialect with rules.
(declare-rel Count (Int))
(declare-var x Int)
(declare-var y Int)

(rule (Count 3))
(rule (=> (and (Count x) (>= x 0) (or (= y (- x 1)) (= y (- x 2)))) (Count y)))

(query (and (Count x) (< x (- 1))))
