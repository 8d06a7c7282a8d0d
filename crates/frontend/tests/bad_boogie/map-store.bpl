procedure main() { var a : [int]int;
  a[3] := 1;
  a := a[4 := 2]; }
