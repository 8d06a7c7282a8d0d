procedure main() { /* assert true; }
