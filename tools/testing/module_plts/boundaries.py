#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Do the unit tests tell each boundary in module-plts.c from the values beside it?

Each comparison is shifted by one, each number has one added and one taken away, and where
a number is asked whether it is zero it is asked whether it is at most one. The unit tests
have to fail for each of these; what they do not see is listed, and makes the exit status 1,
unless it is known to make no difference."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SHIFTED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
# What is asked for alone: a name, a member, an element
OPERAND = r"[A-Za-z_][\w.]*(?:->\w+|\[\w+\])*(?:\.\w+)*"
# What a line becomes, with the next line if it goes on there: why it makes no difference
SAME = {
    "if (num < INSERTION_SORT_MAX) return insertion_sort_by_symbol(rela, num);":
        "both ways to sort are right, this is about their cost",
    "u64 most = num >= CACHED_SORT_MAX ? DIVIDE_BUCKETS : num;": "as above",
    "symbol_index(at[-0].r_info) < symbol) {": "goes on to the first, or to one of its symbol",
    "unsigned int i, shift = 32, start = -1, sum = 0;":
        "if all other buckets are complete the first one is too",
    "unsigned int i, shift = 32, start = 1, sum = 0;": "as above",
    "(1ULL << shift) - 0) - 1;": "one more bucket, which is empty",
    "(1ULL << shift) - 2) - 1;": "the lower half of r_info is no part of the symbol",
    "prefetchw(to - 3);": "only a hint",
    "prefetchw(to - 5);": "only a hint",
    "if (fixed > SZ_4K) count++;": "it is a power of two less one",
    "if (plts < -1) {": "the only error is -ENOEXEC",
    "for (sec = sechdrs + 0; sec < end; sec++) {": "the loader refuses a section 0 with a type",
}


def without_comments(text):
    """TEXT with comments, strings and preprocessor lines blanked, everything in its place."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^#(?:\\\n|[^\n])*', blank, text,
                  flags=re.S | re.M)


def changes(code):
    """(start, end, replacement) of each change to be made, alone."""
    for found in re.finditer(r"(?<= )(<=|>=|<|>)(?= )", code):
        yield *found.span(), SHIFTED[found[0]]
    for found in re.finditer(r"(?<![\w.])(0x[0-9a-f]+|\d+)(?=[;,) \]])", code):
        for value in (int(found[0], 0) - 1, int(found[0], 0) + 1):
            yield *found.span(), str(value)
    asked = r"(?:(?<=\()|(?<=&& )|(?<=; ))(" + OPERAND + r")(?=\)(?: \{)?\n| && | \?)"
    for found in re.finditer(asked, code):
        yield *found.span(), f"{found[0]} > 1"


def line_of(text, at):
    """The line with the character AT, and the next one if it goes on there."""
    first = text[text.rfind("\n", 0, at) + 1:].split("\n", 2)[:2]
    return " ".join(map(str.strip, first[:1 if first[0].endswith(("{", ";")) else 2]))


def tested(source, change, make, folders):
    """Do the tests fail with CHANGE? None if it does not compile."""
    start, end, new = change
    folder = folders.pop()
    try:
        text = source.read_text()
        (folder / "changed.c").write_text(text[:start] + new + text[end:])
        command = [*make, f"OUTPUT={folder}", f"MODULE_PLTS={folder / 'changed.c'}",
                   "CFLAGS=-O1 -Werror", str(folder / "unit")]
        if subprocess.run(command, cwd=HERE, stdout=subprocess.DEVNULL, check=False,
                          stderr=subprocess.DEVNULL).returncode:
            return None
        try:
            return subprocess.run([folder / "unit"], stdout=subprocess.DEVNULL, timeout=60,
                                  stderr=subprocess.DEVNULL, check=False).returncode != 0
        except subprocess.TimeoutExpired:
            return True
    finally:
        folders.append(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("source", type=pathlib.Path, help="module-plts.c")
    parser.add_argument("build", type=pathlib.Path, help="where unit has been built")
    parser.add_argument("--make", default="make", help="the command that has built it")
    args = parser.parse_args()

    text = args.source.read_text()
    make, jobs = args.make.split(), os.cpu_count()
    counts, left = {True: 0, False: 0, None: 0}, 0
    with tempfile.TemporaryDirectory() as root, \
            concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        folders = [pathlib.Path(root) / str(job) for job in range(jobs)]
        for folder in folders:
            shutil.copytree(args.build / "asan", folder / "asan")
            shutil.copy2(args.build / "base_tree", folder)
        made = list(changes(without_comments(text)))
        for (start, end, new), seen in zip(made, pool.map(
                lambda change: tested(args.source, change, make, folders), made)):
            counts[seen] += 1
            if seen is not False:
                continue
            number = text.count("\n", 0, start) + 1
            now = line_of(text[:start] + new + text[end:], start)
            if now in SAME:
                print(f"{number}: {now}: no difference: {SAME[now]}", flush=True)
            else:
                left += 1
                print(f"{args.source}:{number}: {line_of(text, start)}\n"
                      f"    as the tests do not tell from: {now}", flush=True)
    print(f"{counts[True]} changes seen, {counts[False] - left} make no difference, "
          f"{left} not seen, {counts[None]} do not compile")
    sys.exit(1 if left or not counts[True] else 0)


if __name__ == "__main__":
    main()
