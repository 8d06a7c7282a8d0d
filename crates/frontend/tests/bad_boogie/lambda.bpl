procedure main() { var x : int;
  assert (lambda i : int :: i + 1)[1] == x; }
