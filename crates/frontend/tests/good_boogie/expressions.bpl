// Operators in both spellings, functions, constants, reals.
type money = real;
const unique low, high : int;
axiom low < high && high <= 100;

function {:inline} clamp(x : int) returns (int)
{
  if x < low then low else if x > high then high else x
}
function between(a, x, b : int) : bool { a <= x && x <= b }

procedure {:entry} main(x : int) returns (y : int, m : money)
  ensures between(low, y, high);
{
  var b : bool;

  y := clamp(x);
  m := real(y) * 0.25 + 1.5e1 / 3.0;
  assert {:msg "the sum"} m >= 5.0 ∨ y < 0;
  b := x mod 3 == 0 <==> ¬(x div 3 * 3 ≠ x);
  assert b ∧ (x ≤ y ⇒ y ≥ x);
  assert !b ==> b ==> x == y;
  y, b := y - 1, int(m) == y;
}
