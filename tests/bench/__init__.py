"""Benchmarks run as the product does, with numpy's BLAS on one core: it is told before they load numpy."""

import os

from memory_layer.manifest import env

os.environ.setdefault(env.BLAS_THREADS, "1")
