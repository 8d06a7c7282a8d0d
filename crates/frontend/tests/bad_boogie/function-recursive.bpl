function f(x : int) returns (int) { f(x + 1) }
procedure main() { assert f(1) > 0; }
