type T = U;
procedure main(x : T, y : V) { assert x == x && y == y; }
