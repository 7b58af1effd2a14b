"""Benchmark of the order of trust: an agent's hostile lines among people's memories, and its cost to honest agents."""
