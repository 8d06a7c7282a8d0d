const c : int;
function f(x : int) returns (int);
axiom (forall i : int :: f(i) > c);
procedure main() { assert c > 0; }
