// A table as a map of maps: writing one element leaves all others as they are.
//
// expect: assert_14 holds
// expect: assert_15 holds
// expect: assert_16 violated
type table = [int][bool]int;

procedure main(t : table, i : int, j : int)
{
  var u : table;

  u := t;
  u[i][true] := t[j][false] + 1;
  assert u[i][true] > t[j][false];
  assert i == j || u[j] == t[j];
  assert u == t;
}
