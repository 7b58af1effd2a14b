"""What Lambda's runtime does with an unpacked function, on the standard library: import its handler, hand it events.

python -I -S lambda_runtime.py HANDLER FOLDER...: the folders alone are searched for code; events come in as lines of
JSON, answers go out as lines to stderr, because a function logs to stdout.
"""

from __future__ import annotations

import importlib
import json
import sys
import types


def main(handler_path: str, *folders: str) -> None:
    sys.path[:0] = folders
    module, _, name = handler_path.rpartition(".")
    handler = getattr(importlib.import_module(module), name)
    for line in sys.stdin:
        context = types.SimpleNamespace(
            aws_request_id="9a3c8c1e-0000-4000-8000-000000000001", get_remaining_time_in_millis=lambda: 28_000
        )
        try:
            answer = {"answer": handler(json.loads(line), context)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer, ensure_ascii=False), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
