procedure main() { var x : int;
  assert x > 0 ==> (forall i : int :: i > x ==> i >= x);
  assert (exists i : int :: i > x);
  assume (forall i : int :: { i } i > x ==> i >= x);
  assert (forall i : bv8 :: true);
  assert (forall i : int :: j > i); }
