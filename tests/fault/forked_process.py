"""What a forked process has come to."""

import os


def assert_alive(pid: int) -> None:
    """Falls where it has ended, in place of waiting for good for what it will not do."""
    ended, status = os.waitpid(pid, os.WNOHANG)
    assert not ended, f"process {pid} has ended by itself, with status {status}"
