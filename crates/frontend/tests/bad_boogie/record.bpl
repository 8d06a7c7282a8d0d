type Pointer = { base, offset : int };
var valid : [int]bool;
procedure release(p : Pointer) modifies valid;
  requires valid[p!base]; { valid[p!base] := false; }
procedure main() modifies valid; {
  var p : Pointer;
  p := { base : 1, offset : 0 };
  p!offset := 3;
  call release(p);
  assert !p!base == 0; }
