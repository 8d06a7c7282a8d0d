// Maps: elements, updates, several indices, abbreviations, everywhere where variables can be.
type heap = [int]int;
type table = [int][bool]heap;
const zeros : heap;
axiom zeros[0] == 0 && zeros[1] == 0;
var memory : heap where memory[0] == 0;
var grid : [int, real]bool;

function at(h : heap, i : int) returns (int) { h[i] }
function with(h : heap, i : int, v : int) returns (heap) { h[i := v] }

procedure swap(i : int, j : int)
  modifies memory;
  ensures memory[i] == old(memory)[j] && memory[j] == old(memory[i]);
{
  memory := memory[i := memory[j]][j := memory[i]];
}

procedure outside(h : heap) returns (r : heap);
  requires h[0] == 0;
  modifies grid;
  ensures r == (if grid[0, 0.5] == old(grid[1, 2.0]) then h else h[1 := 4]);

procedure main(t : table, x : int)
  modifies memory, grid;
{
  var copy : heap;
  var all : table;
  var i : int;
  all := t;
  all[x][true][i], i := at(zeros, x), memory[i];
  grid[i, 0.5] := !grid[i, 0.5];
  grid[i][1.5] := false;
  copy := if i == 0 then zeros else with(memory, i, 7);
  call swap(i, x);
  call copy := outside(copy[0 := 0]);
  havoc memory, copy;
  assert memory[0] == 0;
  assert copy != zeros || (all[x := t[x]] == t && memory[memory[3] + 1] <= 2);
}
