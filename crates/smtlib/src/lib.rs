//! SMT-LIB s-expressions, and the printer and parser of terms.
