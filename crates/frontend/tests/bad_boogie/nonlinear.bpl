const c : int;
axiom c * c == 4;
axiom 8 div c == 4 && real(c) / 0.0 == 1.0;
procedure main() { var x, y : int;
  x := x * y + c;
  x := x mod 0; }
