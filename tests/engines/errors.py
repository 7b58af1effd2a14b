"""What is told to the person who asked for an engine."""


class EngineError(Exception):
    """An engine cannot be had: the message says why, and what to do next."""
