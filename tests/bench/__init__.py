"""Benchmarks run as the product does, with numpy's BLAS on one core: it is told before they load numpy."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
