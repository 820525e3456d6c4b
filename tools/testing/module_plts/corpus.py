#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run every module below a directory through all checks of the host harness.

Prints the modules that fail or are not checked in full, then totals of those that pass.
What cannot be read and a file that is not an arm64 module are reported, counted as
skipped, and do not make the run fail.

exit status: 0 all modules passed, 1 a check failed or there is no module, 2 bad usage
"""
import argparse
import concurrent.futures
import os
import re
import shutil
import stat
import subprocess
import sys

SUFFIXES = (b".ko", b".ko.xz", b".ko.zst", b".ko.gz")
COUNTS = ("exec RELAs", "branch RELAs", "branch RELAs against another section",
          "of these with an addend", "core entries", "init entries",
          "ADRP veneers with the erratum", "entries emitted and followed")
BATCH = 16
UNCHECKED = "ok, not checked: "


def find_modules(directory):
    """The modules that depmod finds: links are followed, folders named build or source are
    not entered. Returns their paths, as bytes, and [(path, why)] of what cannot be read."""
    modules, unreadable, seen, folders = [], [], set(), [os.fsencode(directory)]
    while folders:
        folder = folders.pop()
        try:
            found = os.stat(folder)
            names = sorted(os.listdir(folder))
        except OSError as wrong:
            unreadable.append((folder, wrong.strerror))
            continue
        if (found.st_dev, found.st_ino) in seen:
            continue
        seen.add((found.st_dev, found.st_ino))
        for name in names:
            path = os.path.join(folder, name)
            if name in (b"build", b"source"):
                continue
            try:
                mode = os.stat(path).st_mode
            except OSError as wrong:
                unreadable.append((path, wrong.strerror))
                continue
            if stat.S_ISDIR(mode):
                folders.append(path)
            elif name.endswith(SUFFIXES) and stat.S_ISREG(mode):
                modules.append(path)
            elif name.endswith(SUFFIXES):
                unreadable.append((path, "not a regular file"))
    return sorted(modules), sorted(unreadable)


def printable(path):
    """A path on a line, as modplt writes it: control characters as octal numbers."""
    return os.fsdecode(re.sub(rb"[\0-\x1f\x7f\\]", lambda found: b"\\%03o" % found[0][0], path))


def take_sample(modules, size):
    """The same modules for the same directory, from all over it."""
    if not size or size >= len(modules):
        return modules
    return [modules[i * len(modules) // size] for i in range(size)]


def check(modplt, batch):
    """Return [(counts or None, verdict)] of a batch of modules, in its order."""
    done = subprocess.run([modplt, "--check", "--", *batch], capture_output=True, check=False)
    lines = [os.fsdecode(line) for line in done.stdout.splitlines()]
    errors = [os.fsdecode(line) for line in done.stderr.splitlines()]
    crash = f"modplt died with status {done.returncode}: {' / '.join(errors)[:2000]}"
    results = []
    for path in map(printable, batch):
        found = [line.removeprefix(path + ",").split(",", len(COUNTS)) for line in lines
                 if re.match(r",\d+,", line.removeprefix(path))]
        wrong = [line.removeprefix(f"modplt: {path}: ") for line in errors
                 if line.startswith(f"modplt: {path}: ")]
        if found and len(found[0]) == len(COUNTS) + 1:
            results.append(([int(field) for field in found[0][:-1]], found[0][-1]))
        else:
            results.append((None, wrong[0]) if wrong else ([], crash))
    return results


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

    # Names are printed as they are, whatever their encoding
    sys.stdout.reconfigure(encoding=sys.getfilesystemencoding(), errors="surrogateescape")

    found, unreadable = find_modules(args.directory)
    for path, why in unreadable:
        print(f"{printable(path)}: {why}")
    modules = take_sample(found, args.sample)
    if not modules:
        print(f"corpus: {args.directory}: no modules found", file=sys.stderr)
        return 1

    batches = [modules[i:i + BATCH] for i in range(0, len(modules), BATCH)]
    totals = [0] * len(COUNTS)
    passed = failed = invalid = unchecked = unemitted = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda batch: check(args.modplt, batch), batches)
        for batch, verdicts in zip(batches, results):
            for path, (counts, verdict) in zip(batch, verdicts):
                if counts is None:
                    invalid += 1
                elif verdict == "ok" or verdict.startswith(UNCHECKED):
                    passed += 1
                    unchecked += verdict != "ok"
                    unemitted += " emission: " in verdict
                    totals = [total + count for total, count in zip(totals, counts)]
                else:
                    failed += 1
                if verdict != "ok":
                    print(f"{printable(path)}: {verdict}")
            if sys.stderr.isatty():
                print(f"\r{passed + failed + invalid} of {len(modules)} modules",
                      end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)

    for name, total in zip(COUNTS, totals):
        print(f"{total:12,} {name}")
    print(f"{unemitted:12,} modules with emission not tried, in some configuration or in any")
    print(f"{unchecked - unemitted:12,} more modules not checked in full")
    print(f"{len(unreadable):12,} files and folders that cannot be read")
    print(f"{passed} passed, {failed} failed, {invalid + len(unreadable)} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
