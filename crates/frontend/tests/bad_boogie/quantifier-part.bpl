procedure main(x : int) {
  assert (forall i : int :: i > x) && (forall j : int :: { j } j > x);
  assert (forall i : int :: i >= i);
}
