procedure main() { var x : float24e8;
  assert x == 0x1.8e3f24e8; }
