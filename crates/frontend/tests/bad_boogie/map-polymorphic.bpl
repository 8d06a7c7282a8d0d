var heap : <a>[int]a;
var sizes : [int]int;
procedure main() modifies heap; { var x : int;
  heap[x] := 3;
  havoc heap;
  assert sizes[heap[0]] > 0; }
