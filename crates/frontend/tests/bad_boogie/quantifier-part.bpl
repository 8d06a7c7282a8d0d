function below(x : int) returns (bool) { (forall i : int :: i > x) }
procedure main(x : int, b : bool) {
  var c : bool;
  c := (forall i : int :: i > x);
  c := below(x);
  assert b == (exists j : int :: j > x);
  assert (if (forall i : int :: i > x) then b else c);
  assert (forall i : int :: i >= i) <==> b <==> c;
}
