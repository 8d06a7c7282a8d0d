type list = [int]list;
type a = [int]b;
type b = [bool]a;
var l : list;
var x : b;
procedure main() {
  assert l[1] == l;
  assert x[true] == x[false]; }
