procedure main() { var x, y : int; var r : real;
  x := x * y + 1;
  x := x div y;
  r := r * r;
  r := 1.0 / r;
  x := x mod 0; }
