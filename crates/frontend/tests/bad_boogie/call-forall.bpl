procedure p(x : int);
procedure main() {
  call forall p(*); }
