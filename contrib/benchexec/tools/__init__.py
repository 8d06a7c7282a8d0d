"""Tool-info modules of BenchExec."""
