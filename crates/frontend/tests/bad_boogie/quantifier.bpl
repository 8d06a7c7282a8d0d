procedure main() { var x : int;
  assert (forall i : int :: { i } i > x ==> i >= x); }
