procedure main(x : int) { assert (var y := x; y) == x; }
