; Two counters, one of them twice as fast.
(set-logic HORN)
(set-info :status sat)
(declare-fun loop (Int Int Int) Bool)
(declare-fun end (Int Int) Bool)

(assert (forall ((n Int)) (=> (>= n 0) (loop 0 0 n))))
(assert (forall ((i Int) (s Int) (n Int))
  (=> (and (loop i s n) (< i n)) (loop (+ i 1) (+ s 2) n))))
(assert (forall ((i Int) (s Int) (n Int))
  (=> (and (loop i s n) (>= i n)) (end s n))))
(assert (forall ((s Int) (n Int)) (=> (and (end s n) (distinct s (* 2 n))) false)))

(check-sat)
