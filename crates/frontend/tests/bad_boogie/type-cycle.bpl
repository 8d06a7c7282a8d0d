type A = B;
type B = A;
procedure main(x : A) { assert x == x; }
