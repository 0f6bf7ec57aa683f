"""Cases of a script in processes of their own: that of a test has threads, and cannot be forked.

One process imports what all cases need, which takes longer than most of them do, and is forked for
each.
"""

import json
import subprocess
import sys

DRIVER = """
import importlib, json, os, sys
script, modules, *cases = sys.argv[1:]
for module in modules.split():
    importlib.import_module(module)
code = compile(script, "case", "exec")
for case in cases:
    process = os.fork()
    if not process:
        sys.argv = ["case", *json.loads(case)]
        exec(code, {})
        sys.exit()
    _, status = os.waitpid(process, 0)
    if status:
        sys.exit(f"{case} ended with exit code {os.waitstatus_to_exitcode(status)}")
"""


def answers(script, modules, cases):
    """Run a script with the arguments of each case, and return what it prints as JSON, by case."""
    given = [json.dumps(arguments) for arguments in cases.values()]
    command = [sys.executable, "-W", "error", "-c", DRIVER, script, modules, *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own
    assert done.returncode == 0, done.stderr
    printed = map(json.loads, done.stdout.splitlines())
    return dict(zip(cases, printed, strict=True))
