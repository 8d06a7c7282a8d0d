procedure main() { var x : bv32;
  x := 3bv32;
  assert x[8:0] == 0bv8; }
