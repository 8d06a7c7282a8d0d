type Ref;
type Field a;
const null : Ref;
procedure main(r : Ref, f : Field int) {
  assert r == null;
  assert f == f; }
