function f(x : int) returns (int);
procedure main() { var x : int;
  assert f(x) > 0; }
