// A recursive procedure with a contract is checked on its own; calls rely on the contract.
var depth : int;

procedure down(n : int) returns (r : int)
  requires n >= 0;
  modifies depth;
  ensures r == 0 && depth >= old(depth);
{
  if (n == 0) {
    r := 0;
  } else {
    depth := depth + 1;
    call r := down(n - 1);
  }
}

procedure ULTIMATE.start()
  modifies depth;
{
  var r : int;

  depth := 0;
  call r := down(5);
  assert r == 0 && depth >= 0;
}
