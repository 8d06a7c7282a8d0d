var a, b : [int]int;
var f : [bool]int;
var m : [int, int]bool;
procedure main(x : int, y : real) modifies a, m; {
  a[true] := 1;
  a[1] := true;
  a := f;
  a[1][2] := 3;
  m[1, 2, 3] := true;
  assert x[1] == 2;
  assert m[1] == m[1, 2];
  assert a == a[1 := 2.0];
  assert a <= b;
  assert a[y] == 1;
  assert a[int(y)] == b; }
