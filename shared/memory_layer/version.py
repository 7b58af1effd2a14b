"""The one place that knows this package's version."""

VERSION = "0.1.0"
