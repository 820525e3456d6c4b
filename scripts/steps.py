# SPDX-License-Identifier: GPL-2.0-only
"""The steps of a series, one folder each: "message" is the commit's, "step" has one action a line:

    file PATH              our file, or each tracked file of our folder, whole
    take PATH NAME ...     our definitions of these functions, structs, macros
    take PATH @FILE [NAME] all the definitions in FILE, which is beside the step; new ones
                           in front of the definition NAME
    drop PATH NAME ...     remove these definitions
    edit                   the hunks in change.diff, which is beside the step: see hunks.py
    brings PATH TEXT       lines of our file that begin with TEXT come with this step: steps
                           before it have the file without them
    maintainers            our entry, in its place in MAINTAINERS"""
import re
import shlex

import csource
import hunks
from common import ROOT, fail


def actions(step):
    """[verb, argument, ...] of each line of a step."""
    found = [shlex.split(line, comments=True) for line in (step / "step").read_text().splitlines()]
    return [words for words in found if words]


def without(text, starts):
    """TEXT without the lines that begin with one of STARTS, and without the gaps they leave."""
    kept = []
    for line in text.split("\n"):
        if line.startswith(starts):
            gap = kept and not kept[-1]
        elif line or not kept or kept[-1] or not gap:
            kept.append(line)
            gap = False
    return "\n".join(kept)


class Steps:
    """The steps of one series, to be made in a tree."""

    def __init__(self, folder):
        self.folders = sorted(path.parent for path in folder.glob("*/step"))
        self.brought = [(step, path, text) for step in self.folders
                        for verb, path, text in (words for words in actions(step)
                                                 if words[0] == "brings")]

    def ours(self, path, step):
        """The text of our file, as STEP can have it."""
        if not (ROOT / path).is_file():
            fail(f"{step.name}: no file of ours is {path}")
        later = tuple(text for other, known, text in self.brought
                      if known == path and other.name > step.name)
        text = (ROOT / path).read_text()
        return without(text, later) if later else text

    def take(self, tree, step, path, names):
        if names[0].startswith("@"):
            source, before = (step / names[0][1:]).read_text(), (names + [None])[1]
            names = [name for name, text in csource.definitions(source)
                     if not text.startswith("//")]
        else:
            source, before = self.ours(path, step), None
        tree.edit(path, lambda text: csource.take(text, source, names, before))

    def act(self, tree, step, verb, *args):
        """Do one line of a step."""
        if verb == "file":
            for name in tree.copy(args[0]):
                if any(known == name for _, known, _ in self.brought):
                    tree.edit(name, lambda _, name=name: self.ours(name, step))
        elif verb == "take":
            self.take(tree, step, args[0], list(args[1:]))
        elif verb == "drop":
            tree.edit(args[0], lambda text: csource.drop(text, args[1:]))
        elif verb == "edit":
            for hunk in hunks.parse((step / "change.diff").read_text(),
                                    f"{step.name}/change.diff"):
                tree.edit(hunk.path, hunk.edit)
        elif verb == "maintainers":
            tree.edit("MAINTAINERS", lambda text: maintainers(tree, text))
        elif verb != "brings":
            fail(f"{step / 'step'}: unknown action {verb}")

    def make(self, tree, step):
        """Do a whole step."""
        for words in actions(step):
            try:
                self.act(tree, step, *words)
            except KeyError as missing:
                fail(f"{step.name}: no definition of {missing}: {' '.join(words)}")
            except hunks.Mismatch as wrong:
                fail(f"{wrong}, on {tree.version}")


def maintainers(tree, text):
    """MAINTAINERS with our entry before the first that sorts behind it and begins with the same
    word: others are not all in their place."""
    ours = re.sub(r"\A(.*\n)*?\n(?=[A-Z])", "", (ROOT / "MAINTAINERS").read_text(), count=1)
    ours = tree.place(ours).rstrip() + "\n"
    title = ours.split("\n", 1)[0]
    listing = text.index("Maintainers List")
    for entry in re.finditer(r"(?<=\n\n)([^\s].*)\n(?=[A-Z]:\t)", text):
        if entry.start() > listing and entry.group(1) > title and \
                entry.group(1).split()[0] == title.split()[0]:
            return text[:entry.start()] + ours + "\n" + text[entry.start():]
    return fail(f"found no place for {title} in MAINTAINERS")
