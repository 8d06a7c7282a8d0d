// A procedure with a loop that calls itself from the loop; a contract that says less than is needed.
//
// expect: ensures_11 holds
// expect: assert_28 holds
// expect: assert_29 violated

const step : int;
axiom step >= 1;

procedure spread(width : int, depth : int) returns (leaves : int)
  ensures leaves >= 0;
{
  var i, more : int;

  if (depth <= 0) { leaves := 1; return; }
  leaves := 0;
  i := 0;
  while (i < width) {
    call more := spread(width, depth - step);
    leaves := leaves + more;
    i := i + 1;
  }
}

procedure main() returns (n : int)
{
  call n := spread(2, 0);
  assert n == 1;
  call n := spread(1, 2); assert n < 1;
}
