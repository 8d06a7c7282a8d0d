procedure main() { var x : int;
  assert (forall i : bv8 :: true);
  assert (forall i : int :: j > i);
  assert (exists i : real :: i > x);
  assume (forall i : int :: i); }
