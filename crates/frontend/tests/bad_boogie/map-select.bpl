var a : [int]int;
procedure main() { var x : int;
  x := a[x + 1][2];
  assert x > 0; }
