var counter : int;
procedure main() { var x : int;
  countr := 1;
  x := y;
  call mian();
  assert f(x) > main();
  goto nowhere; }
