var a : [int]int;
procedure main() modifies a; {
  assume (forall b : bool :: a[b] == 0);
  assume (forall i : int :: a[i]);
  assume (forall i, j : int :: a[i, j] == 0);
  a := (lambda i : int :: a[i + 1]);
  assert a[3] == 0; }
