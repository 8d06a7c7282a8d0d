// Every procedure on its own; what is not supported stands where nothing reaches it.
type Ref;
var heap : [Ref]int;
var g : int where g > 0;
function hash(r : Ref) returns (int);
axiom (forall r : Ref :: hash(r) >= 0);

procedure get(r : Ref) returns (v : int);

procedure one() modifies g;
{
  havoc g;
  assert g >= 1;
}

procedure two(x : int)
{
  assert x == 0;
}

procedure idle()
{
}
