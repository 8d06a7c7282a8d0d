procedure p();
implementation p() { assert true; }
implementation p() { assert false; }
