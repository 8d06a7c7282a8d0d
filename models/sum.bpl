// Three branches, each of which moves one from a variable to another: x + y + z stays what it was. See sum.imp.
//
// Source: Ermis, Hoenicke, Podelski, Schäf: Slicing Abstraction using Path Formulas, Figure 1. Printed.
//
// expect: assert_32 holds
// explore needs: --domain -2..2

procedure main()
{
  var n, x, y, z : int;

  assume n == x && y == 0 && z == 0;

  while (x != 0)
  {
    if (*) {
      x := x + 1;
      y := y - 1;
    }

    if (*) {
      y := y + 1;
      z := z - 1;
    }

    if (*) {
      x := x - 1;
      z := z + 1;
    }
  }

  assert n == y + z;
}
