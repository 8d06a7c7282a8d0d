// A loop that may count too far. See lecture-a.imp.
//
// Source: Fredrikson's lecture notes, Example 1. Printed as a while program; the property is a claim about its end.
//
// expect: ensures_10 violated in 4 steps
// explore needs: --domain -2..2

procedure count(N : int, start : int) returns (i : int);
  // The lecture says: at l4, 0 <= i.
  ensures 0 <= i;

implementation count(N : int, start : int) returns (i : int)
{
  var x : int;

  x := start;
  i := N;
  while (0 <= x && x < N)
  {
    i := i - 1;
    x := x + 1;
  }
}
