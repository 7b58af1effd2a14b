"""Benchmarks run as the product does, with numpy's BLAS on one core: it is told before they load numpy.

The name of the variable stands here in letters: `compare` runs this beside the product of older checkouts.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
