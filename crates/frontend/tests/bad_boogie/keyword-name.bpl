procedure while() { }
procedure main() { var if : int; }
