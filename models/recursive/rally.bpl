// Two procedures that call each other, and a variable that both change.
//
// expect: assert_26 holds
// expect: assert_27 holds
// expect: assert_28 violated

var hits : int;

procedure left(n : int)
  modifies hits;
{
  if (n > 0) { hits := hits + 1; call right(n - 1); }
}

procedure right(n : int)
  modifies hits;
{
  if (n > 0) { hits := hits + 1; call left(n - 1); }
}

procedure main(n : int)
  modifies hits;
{
  hits := 0;
  call left(n);
  assert hits >= 0;
  assert n > 0 ==> hits > 0;
  assert hits < 3;
}
