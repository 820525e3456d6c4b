#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run every module below a directory through all checks of the host harness.

Prints the modules that fail, then totals of those that pass. A file that is not an
arm64 module is reported, counted as skipped, and does not make the run fail.

exit status: 0 all modules passed, 1 a check failed or there is no module, 2 bad usage
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

SUFFIXES = (".ko", ".ko.xz", ".ko.zst", ".ko.gz")
COUNTS = ("exec RELAs", "branch RELAs", "branch RELAs against another section",
          "of these with an addend", "core entries", "init entries",
          "ADRP veneers with the erratum", "entries emitted and followed")
BATCH = 16


def find_modules(directory):
    return sorted(str(path) for path in pathlib.Path(directory).rglob("*")
                  if path.name.endswith(SUFFIXES) and path.is_file())


def take_sample(modules, size):
    """The same modules for the same directory, from all over it."""
    if not size or size >= len(modules):
        return modules
    return [modules[i * len(modules) // size] for i in range(size)]


def check(modplt, batch):
    """Return [(counts or None, verdict)] of a batch of modules, in its order."""
    done = subprocess.run([modplt, "--check", *batch], capture_output=True, text=True,
                          errors="replace", check=False)
    lines = {}
    for line in done.stdout.splitlines():
        fields = line.rsplit(",", len(COUNTS) + 1) if line.endswith(",ok") else \
            line.split(",", len(COUNTS) + 1)
        if len(fields) == len(COUNTS) + 2:
            lines[fields[0]] = ([int(field) for field in fields[1:-1]], fields[-1])
    errors = {}
    for line in done.stderr.splitlines():
        for path in batch:
            if line.startswith(f"modplt: {path}: "):
                errors[path] = line.removeprefix(f"modplt: {path}: ")
    crash = f"modplt died with status {done.returncode}: {done.stderr.strip()[:2000]}"
    return [lines.get(path) or ((None, errors[path]) if path in errors else ([], crash))
            for path in batch]


def positive(text):
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("directory", help="directory with modules, at any depth")
    parser.add_argument("--modplt", required=True, help="the modplt to run")
    parser.add_argument("--sample", type=positive, metavar="N", help="check only N modules")
    args = parser.parse_args()
    if not shutil.which(args.modplt):
        parser.error(f"argument --modplt: cannot run {args.modplt}")

    modules = take_sample(find_modules(args.directory), args.sample)
    if not modules:
        print(f"corpus: {args.directory}: no modules found", file=sys.stderr)
        return 1

    batches = [modules[i:i + BATCH] for i in range(0, len(modules), BATCH)]
    totals = [0] * len(COUNTS)
    passed = failed = invalid = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda batch: check(args.modplt, batch), batches)
        for batch, verdicts in zip(batches, results):
            for path, (counts, verdict) in zip(batch, verdicts):
                if counts is None:
                    invalid += 1
                elif verdict == "ok":
                    passed += 1
                    totals = [total + count for total, count in zip(totals, counts)]
                else:
                    failed += 1
                if verdict != "ok":
                    print(f"{path}: {verdict}")
            if sys.stderr.isatty():
                print(f"\r{passed + failed + invalid} of {len(modules)} modules",
                      end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)

    for name, total in zip(COUNTS, totals):
        print(f"{total:12,} {name}")
    print(f"{passed} passed, {failed} failed, {invalid} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
