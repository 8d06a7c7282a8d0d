// The loop of lecture-a.bpl with a higher start: it never counts too far. See lecture-b.imp.
//
// Source: Fredrikson's lecture notes, "Spurious counterexamples". Printed as a while program.
//
// expect: ensures_11 holds
// explore needs: --domain -2..3

function abs(x : int) returns (int) { if x < 0 then -x else x }

procedure count(N : int, start : int) returns (i : int);
  ensures 0 <= i;

implementation count(N : int, start : int) returns (i : int)
{
  var x : int;

  x := start;
  i := abs(N) + 1;
  while (0 <= x && x < N)
  {
    i := i - 1;
    x := x + 1;
  }
}
