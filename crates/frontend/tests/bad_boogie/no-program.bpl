var x : int;
axiom true;
