# SPDX-License-Identifier: GPL-2.0-only
"""Results as KTAP, and the exit status that follows from them."""
import re


def ktap(checks):
    """The KTAP of checks, (name, passed or None for a skip, what was seen), and a closing line."""
    lines = ["KTAP version 1", f"1..{len(checks)}"]
    for number, (name, passed, seen) in enumerate(checks, 1):
        if passed is None:
            lines.append(f"ok {number} {name} # SKIP {seen}")
        else:
            lines.append(f"{'ok' if passed else 'not ok'} {number} {name}"
                         + (f" # {seen}" if seen else ""))
    counts = [sum(passed is state for _, passed, _ in checks) for state in (True, False, None)]
    return "\n".join([*lines, "{} passed, {} failed, {} skipped".format(*counts), ""])


def status(text):
    """The exit status that KTAP asks for: 0 if there are results, and none is "not ok"."""
    results = re.findall(r"^\s*(ok|not ok) \d+", text, re.M)
    return 0 if results and "not ok" not in results else 1
