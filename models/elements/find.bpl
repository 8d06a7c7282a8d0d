// A value is searched for: no element before the place that was found has it.
//
// expect: assert_19 holds
// expect: assert_20 violated
procedure main(n : int, value : int)
{
  var a : [int]int;
  var i, j : int;

  i := 0;
  while (i < n && a[i] != value)
  {
    i := i + 1;
  }
  havoc j;
  assume 0 <= j;
  // The element at the place itself has the value, if there is one.
  assume j <= i;
  assert i <= j || a[j] != value;
  assert n <= j || a[j] != value;
}
