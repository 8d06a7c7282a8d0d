// sum.bpl with a bug: the third branch takes one and gives two.
//
// Source: Ermis, Hoenicke, Podelski, Schäf: Slicing Abstraction using Path Formulas, Figure 1. The bug is a reconstruction.
//
// expect: assert_32 violated in 9 steps
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
      z := z + 2;
    }
  }

  assert n == y + z;
}
