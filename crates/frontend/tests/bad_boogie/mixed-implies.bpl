procedure main(a : bool, b : bool, c : bool) {
  assert a ==> b <== c;
  assert 1 < 2 < 3; }
