implementation p() { assert true; }
