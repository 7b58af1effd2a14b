"""Version of the package, its only definition."""

VERSION = "0.1.0"
