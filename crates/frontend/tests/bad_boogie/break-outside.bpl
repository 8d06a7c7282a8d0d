procedure main() { break; while (*) { break l; } }
