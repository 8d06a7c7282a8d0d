function {:builtin "bvand"} both(x : int, y : int) returns (int);
function {:inline true} {:smtdefined "(+ x 1)"} next(x : int) returns (int);
function {:builtin "unused"} other(x : int) returns (int);
procedure main(x : int) {
  assert both(x, next(x)) >= 0; }
