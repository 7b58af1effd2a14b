"""Benchmark of judgement on real text: each measure of the table, through the product's own use cases."""
