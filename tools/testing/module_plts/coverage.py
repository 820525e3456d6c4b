#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print how much of a source file has run, in any of the objects that it was compiled to.

A line or a branch, a way that a condition goes, counts if one of them has reached it.
What none has is listed, and makes the exit status 1."""
import argparse
import collections
import json
import pathlib
import subprocess
import sys


def records(gcov, data):
    """What gcov says of each source file that has gone into an object."""
    done = subprocess.run([gcov, "--branch-probabilities", "--json-format", "--stdout",
                           data.name], cwd=data.parent, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["files"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--gcov", default="gcov", help="the gcov of the compiler (%(default)s)")
    parser.add_argument("source", type=pathlib.Path, help="the source file")
    parser.add_argument("data", nargs="+", type=pathlib.Path, help=".gcda files that runs left")
    args = parser.parse_args()

    lines, ways, functions = collections.Counter(), collections.Counter(), collections.Counter()
    for data in args.data:
        for file in records(args.gcov, data):
            if pathlib.Path(file["file"]).name != args.source.name:
                continue
            for function in file["functions"]:
                # Each object has its own name for those that are not static
                functions[function["start_line"]] += function["execution_count"]
            for line in file["lines"]:
                lines[line["line_number"]] += line["count"]
                for way, branch in enumerate(line["branches"]):
                    ways[line["line_number"], way] += branch["count"]
    if not lines:
        sys.exit(f"coverage: {args.source}: not in {', '.join(map(str, args.data))}")

    text = args.source.read_text().splitlines()
    for what, counts in (("functions", functions), ("lines", lines), ("branches", ways)):
        print(f"{sum(map(bool, counts.values())):6} of {len(counts)} {what} of {args.source.name}")
    for number in sorted(number for number, count in lines.items() if not count):
        print(f"{args.source}:{number}: does not run: {text[number - 1].strip()}")
    for (number, way), count in sorted(ways.items()):
        if not count and lines[number]:
            print(f"{args.source}:{number}: does not go way {way}: {text[number - 1].strip()}")
    sys.exit(0 if all([*lines.values(), *ways.values()]) else 1)


if __name__ == "__main__":
    main()
