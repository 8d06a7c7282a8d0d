// An attempt at a lock: L = 1 while it is held. It is never taken twice, but it is released without being held. See
// lecture-c.imp.
//
// Source: Fredrikson's lecture notes, Example 2. Printed as a while program. Its procedures are ours.
//
// expect: requires_17 holds
// expect: requires_23 violated in 19 steps
// explore needs: --domain -1..3

const open, held : int;
axiom open == 0 && held == 1;

var L, C : int;

procedure take()
  modifies L, C;
  requires L == open;
{
  L, C := held, C + 1;
}

procedure release();
  requires L == held;
  modifies L;
  ensures L == open;

procedure ULTIMATE.start()
  modifies L, C;
{
  var t, b : int;

  L, C := open, 0;
  while (t > 0)
  {
    havoc b;
    if (b >= 0) {
      call take();
    }
    if (C > 0) {
      call release();
    }
    t := t - 1;
  }
}
