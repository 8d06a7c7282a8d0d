procedure main( { }
var x;
var y : ;
foo bar;
procedure ok() { assert true; }
type = int;
