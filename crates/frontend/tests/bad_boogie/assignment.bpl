const c : int;
procedure main() { var x, y : int;
  c := 1;
  x, y := 1;
  x, x := 1, 2;
  havoc c; }
