procedure main() { var x : int;
  x = 1;
  x := 1
  y := 2;
  if x > 0 { }
  if (x > 0) x := 1;
  else { }
  var z : int;
  while (x > 0) invariant x > 0 { }
  assert x >; }
