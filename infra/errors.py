"""What is said when a deployment cannot work: early, in one sentence, with what to do."""


class BadDeployment(Exception):
    """What is wrong with what was asked for, and how to ask for it."""
