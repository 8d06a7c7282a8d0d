procedure p(x : int) returns (y : int);
procedure main() { var a, b : int; var c : bool;
  call p(1);
  call a := p();
  call a, b := p(1);
  call c := p(1);
  call a := p(true); }
