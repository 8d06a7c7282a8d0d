// Two elements of a map are exchanged. Who forgets that they may be the same one is wrong.
//
// expect: ensures_10 holds
// expect: assert_24 holds
// expect: assert_25 violated
var memory : [int]int;

procedure swap(i : int, j : int)
  modifies memory;
  ensures memory == old(memory)[i := old(memory)[j]][j := old(memory)[i]];
{
  var x : int;
  x := memory[i];
  memory[i] := memory[j];
  memory[j] := x;
}

procedure main(i : int, j : int)
  modifies memory;
{
  memory[i] := 1;
  memory[j] := 2;
  call swap(i, j);
  assert memory[i] == 2;
  assert memory[j] == 1;
}
