function f(x : int, y : int) returns (int) { x + y }
procedure main() { assert f(1) > 0; }
