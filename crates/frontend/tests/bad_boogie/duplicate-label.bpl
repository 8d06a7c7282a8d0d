procedure main() { l: assert true; l: assert true; }
