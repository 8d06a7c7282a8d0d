// A map is copied, each element with a number added, and compared with the original.
//
// expect: assert_19 holds
// expect: assert_20 violated
procedure main(n : int, add : int)
{
  var a, b : [int]int;
  var i, j : int;

  i := 0;
  while (i < n)
  {
    b[i] := a[i] + add;
    i := i + 1;
  }
  havoc j;
  assume 0 <= j;
  // The second one forgets that only n elements were copied.
  assert j >= n || b[j] == a[j] + add;
  assert j > n || b[j] == a[j] + add;
}
