// One loop sets all elements, a second one looks at all of them.
//
// expect: assert_20 holds
// expect: assert_21 violated
procedure main(n : int)
{
  var a : [int]int;
  var i : int;

  i := 0;
  while (i < n)
  {
    a[i] := 7;
    i := i + 1;
  }
  i := 0;
  while (i < n)
  {
    // The second one forgets that the index of the last element is n - 1.
    assert a[i] == 7;
    assert a[i + 1] == 7;
    i := i + 1;
  }
}
