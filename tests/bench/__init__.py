"""Benchmarks run as the product does, with numpy's BLAS on one core: it is told before they load numpy."""

import os

from memory_layer.bootstrap.contexts import BLAS_THREADS

os.environ.setdefault(BLAS_THREADS, "1")
