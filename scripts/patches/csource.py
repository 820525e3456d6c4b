#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Kernel C source as a list of definitions that can be taken from one file to another.

Kernel style makes this easy: outside of definitions blank lines separate one
from the next, and a body ends with a brace in column 0. A definition goes by
the name of its function, struct or macro, and takes along the comment above it.

As a command: print what stands between two definitions of a file."""
import argparse
import pathlib
import re
import sys

NAMES = (r"^#include", r"^#define (\w+)", r"^(?:static )?(?:struct|enum|union) (\w+) \{",
         r"^\w[^;={(]*?\b(\w+)\(")


def name_of(text):
    code = re.sub(r"/\*.*?\*/\n?", "", text, flags=re.S)
    for pattern in NAMES:
        found = re.search(pattern, code, re.M)
        if found:
            return found.group(1) if found.groups() else "#include"
    return text.split("\n", 1)[0]


def definitions(text):
    """The file as [(name, text)]; joined by blank lines the texts give the file again."""
    pieces, current, inside = [], [], False
    for line in text.rstrip("\n").split("\n"):
        if not line and not inside:
            # A second one is a part of what it stands in front of
            if any(current):
                pieces.append("\n".join(current))
                current = []
            else:
                current.append("")
            continue
        current.append(line)
        if line == "{" or line.startswith("/*") and "*/" not in line or \
                re.match(r"^\w.*\{$", line):
            inside = True
        elif line.startswith("}") or line.strip() == "*/" and not line.startswith("\t"):
            inside = False
    pieces.append("\n".join(current))
    named = []
    for piece in pieces:
        name = name_of(piece)
        if name == "#include" and named and named[-1][0] == name:
            piece = named.pop()[1] + "\n\n" + piece
        named.append((name, piece))
    return named


def join(parts):
    return "\n\n".join(piece for _, piece in parts) + "\n"


def take(text, source, names, before=None):
    """TEXT with the definitions NAMES as SOURCE has them; new ones go in front of the
    definition BEFORE, or else where SOURCE has them, or to the end."""
    parts, theirs = definitions(text), definitions(source)
    order = [name for name, _ in theirs]
    for name in names:
        if name not in order:
            raise KeyError(name)
        piece = theirs[order.index(name)]
        here = [known for known, _ in parts]
        if name in here:
            parts[here.index(name)] = piece
            continue
        earlier = [known for known in order[:order.index(name)]
                   if known in here and not known.startswith("//")]
        place = len(parts)
        if before:
            place = here.index(before)
        elif earlier:
            place = here.index(earlier[-1]) + 1
        parts.insert(place, piece)
    return join(parts)


def drop(text, names):
    """TEXT without the definitions NAMES; a base need not have them all."""
    return join([part for part in definitions(text) if part[0] not in names])


def between(text, behind, last):
    """What follows the definition BEHIND up to and including LAST, and its first line's number."""
    parts = definitions(text)
    names = [name for name, _ in parts]
    for name in (behind, last):
        if name not in names:
            raise ValueError(f"no definition of {name}")
    first, end = names.index(behind) + 1, names.index(last) + 1
    if first >= end:
        raise ValueError(f"{last} does not stand behind {behind}")
    return join(parts[first:end]), join(parts[:first]).count("\n") + 2


def main():
    parser = argparse.ArgumentParser(description="Print a part of a kernel C file, for a compiler.")
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--behind", required=True, metavar="NAME",
                        help="the last definition that is not wanted")
    parser.add_argument("--to", required=True, metavar="NAME", help="the last one that is wanted")
    args = parser.parse_args()
    try:
        text, line = between(args.file.read_text(encoding="utf-8"), args.behind, args.to)
    except (OSError, ValueError) as wrong:
        sys.exit(f"csource: {args.file}: {getattr(wrong, 'strerror', None) or wrong}")
    print(f'#line {line} "{args.file}"\n{text}', end="")


if __name__ == "__main__":
    main()
