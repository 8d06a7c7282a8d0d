// Addition by counting down, which adds one too many where the second number is 3.
//
// expect: ensures_10 violated
// expect: requires_9 holds
// expect: assert_25 holds
// expect: assert_26 violated

procedure add(a : int, b : int) returns (c : int)
  requires b >= 0;
  ensures c == a + b;
{
  if (b == 0) {
    c := a;
  } else {
    call c := add(a, b - 1);
    c := c + 1;
    if (b == 3) { c := c + 1; }
  }
}

procedure main()
{
  var c : int;
  call c := add(1, 2);
  assert c == 3;
  assert c < 3;
}
