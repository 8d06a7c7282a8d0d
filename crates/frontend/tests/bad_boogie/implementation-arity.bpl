procedure p(x : int);
implementation p() { assert true; }
