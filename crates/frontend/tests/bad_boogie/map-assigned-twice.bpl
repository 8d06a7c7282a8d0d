var a : [int]int;
const c : [int]int;
procedure main(x : int) modifies a; {
  a[1], a[2] := 1, 2;
  a[1], a := 1, c;
  c[3] := 1; }
