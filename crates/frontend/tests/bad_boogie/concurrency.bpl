var x : int;
procedure worker() modifies x; { atomic { x := x + 1; } }
procedure main() modifies x; {
  fork 1 worker();
  join 1;
  assert x > 0; }
