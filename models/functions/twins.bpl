// Two loops do the same with an unknown function, in one pass and in two.
//
// expect: assert_20 holds
// expect: assert_21 violated
function next(x : int) returns (int);

procedure main(start : int, n : int)
{
  var a, b, i : int;

  a := start;
  b := start;
  i := 0;
  while (i < n)
  {
    a := next(a);
    b := next(b);
    i := i + 1;
  }
  assert a == b;
  assert n > 2 ==> a != start;
}
