const a, b : int extends a complete;
procedure main() { assert a <: b && 2 ** 3 == 8; }
