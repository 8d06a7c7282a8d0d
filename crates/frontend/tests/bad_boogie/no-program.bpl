var x : int;
procedure p(x : int);
