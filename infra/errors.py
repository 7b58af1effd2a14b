"""Error for a deployment that cannot work: raised early, one sentence, with what to do."""


class BadDeployment(Exception):
    """Deployment that cannot be made as asked for, with the remedy."""
