procedure main() { assert "a" == "b; }
