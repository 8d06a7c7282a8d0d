// A loop fills the first elements of a map; the program looks at one of them.
//
// expect: assert_18 holds
// expect: assert_19 violated
procedure main(n : int, k : int)
{
  var a, before : [int]int;
  var i : int;

  before := a;
  i := 0;
  while (i < n)
  {
    a[i] := i;
    i := i + 1;
  }
  assume 0 <= k && k < n + 1;
  assert k == n || a[k] == k;
  assert a[n] == before[n] && a[k] == before[k];
}
