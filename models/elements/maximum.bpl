// The largest element is searched for: no element is larger than what was found.
//
// expect: assert_23 holds
// expect: assert_24 violated
procedure main(n : int)
{
  var a : [int]int;
  var i, most : int;

  most := a[0];
  i := 1;
  while (i < n)
  {
    if (a[i] > most)
    {
      most := a[i];
    }
    i := i + 1;
  }
  i := 0;
  while (i < n)
  {
    assert a[i] <= most;
    assert a[i] < most;
    i := i + 1;
  }
}
