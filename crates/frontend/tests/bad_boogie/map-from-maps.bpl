type row = [int]int;
var table : [row]int;
procedure main(r : row) {
  assert table[r] > 0; }
