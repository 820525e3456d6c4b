# SPDX-License-Identifier: GPL-2.0-only
"""What the parts of scripts/check share: the series as it is checked, and how a check ends."""
import collections
import contextlib
import os
import pathlib
import re
import subprocess

from shared.common import (BUILD, CROSS, LOGS, SERIES, at_step, code_of, digest, locked, output,
                           run, script)

# A check's parts is what its result depends on; act() raises Failure or Skip, or it has passed.
Check = collections.namedtuple("Check", "name parts act")
COMPLAINT = re.compile(r"(?i)\b(warning|error|fatal|traceback)\b|^not ok")


class Failure(Exception):
    """A check found something: one line of what, and more lines."""


class Skip(Exception):
    """A check cannot be made here: the reason."""


class Series:
    """A series that scripts/series has made for one base; VARIANT is a kernel with it."""

    def __init__(self, base, variant="series"):
        self.base, self.variant, self.name = base, variant, SERIES[variant]
        self.version, tree = script("series", "--tree", base).split(" ", 1)
        self.tree = pathlib.Path(tree)
        self.out = BUILD / "check" / self.version / self.name
        folder = BUILD / "series" / self.version / self.name
        self.cover, *self.core_patches = sorted(folder.glob("0*.patch"))
        self.patches = [*self.core_patches,
                        *sorted(folder.with_name(f"{folder.name}-optional").glob("0*.patch"))]
        self.steps = [patch.name[2:4] for patch in self.patches]
        self.head = f"plts-{variant}"
        self.core = f"{self.head}-core"

    def at_step(self, step):
        """The kernel with the steps up to STEP."""
        return at_step(self.variant, step)

    def git(self, *args):
        return output("git", *args, cwd=self.tree)

    @contextlib.contextmanager
    def at(self, ref):
        """Keep the clone at REF meanwhile."""
        with locked(self.tree):
            self.git("checkout", "-qf", "--detach", ref)
            yield

    def changed(self, *paths, ref=None):
        """The files among PATHS, git's pathspecs, that the series changes and REF has."""
        ref = ref or self.head
        names = self.git("diff", "--name-only", "plts-base", ref, "--", *paths)
        have = self.git("ls-tree", "-r", "--name-only", ref, "--", *names.split())
        return have.splitlines()

    def kernel_files(self, suffixes, ref=None):
        """Those of a kernel among them, which end with one of SUFFIXES."""
        return [name for name in self.changed(ref=ref) if name.endswith(suffixes)
                and not name.startswith(("Documentation/", "tools/"))]

    def code_of(self, ref):
        """What names all that a kernel of REF is built from."""
        return code_of(self.tree, ref)

    def tree_of(self, ref, folder=""):
        """What names the contents of FOLDER at REF; it is the same in another clone."""
        return self.git("rev-parse", f"{ref}:{folder}")


def version_of(tool):
    """The line that a tool describes itself with, or None if it is not there."""
    try:
        done = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, text=True, check=False,
                              stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return done.stdout.split("\n", 1)[0]


def perform(label, command, log, series, env=None, cwd=None):
    """What a command prints, by default in the clone of a series; its status must be 0."""
    name = f"check-{series.version}-{series.variant}-{log}"
    # Debian's Python modules, which some of the kernel's tools want, are for its own python3
    env = {"PATH": f"/usr/bin:{os.environ['PATH']}", **(env or {})}
    try:
        run(f"{series.version}, {series.name}: {label}", command, name, cwd=cwd or series.tree,
            env=env, timeout=1800)
    except SystemExit as end:
        lines = (LOGS / name).read_text(errors="replace").strip().splitlines()
        worst = [line for line in lines if COMPLAINT.search(line)] or lines[-1:]
        raise Failure("\n".join([*worst[:1], str(end).split("\n", 1)[0]])) from None
    return (LOGS / name).read_text(errors="replace").splitlines()


def make(series, out, *more):
    """The start of a make command line."""
    return ["make", f"O={out}", "ARCH=arm64", f"CROSS_COMPILE={CROSS}", "LOCALVERSION=",
            f"-j{os.cpu_count()}", *more]


def remembered(parts):
    """The file that exists if a check of PARTS has passed."""
    return BUILD / "check" / "passed" / digest(*parts)
