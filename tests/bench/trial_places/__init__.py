"""Price of trial places on real text."""
