procedure main() { var x : int; var r : real; var b : bool;
  x := 1.5;
  r := x;
  b := x + 1;
  assert x;
  assert x == r;
  assume b + 1 > 0;
  x := if b then 1 else 2.0; }
