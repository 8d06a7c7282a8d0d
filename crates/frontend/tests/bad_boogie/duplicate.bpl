var x : int;
var x : bool;
procedure main(a : int, a : int) { }
procedure main() { var b, b : int; }
