var a : [int]int;
procedure main() modifies a; {
  assume (forall i : int :: a[i] == 0);
  a := (lambda i : int :: a[i + 1]);
  assert a[3] == 0; }
