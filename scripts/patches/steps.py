# SPDX-License-Identifier: GPL-2.0-only
"""The steps of a series, one folder each, NN-name: "message" is the commit's, "step" has one
action a line:

    file PATH              our file, or each tracked file of our folder, whole
    take PATH NAME ...     our definitions of these functions, structs, macros
    take PATH @FILE [NAME] all the definitions in FILE, which is beside the step; new ones
                           in front of the definition NAME
    drop PATH NAME ...     remove these definitions, those that the base has
    edit                   the hunks in change.diff, which is beside the step: see hunks.py
    brings PATH [TEXT]     lines of our file that begin with TEXT come with this step: steps
                           before it have the file without them; without TEXT the whole file
    maintainers            our entry, in its place in MAINTAINERS
    only PATH TEXT         the step is for bases whose PATH has TEXT; others go without it
    alone                  the patch is a fix that also applies alone
    optional               the step is not in the core of the series; it is behind all that are

All that can be wrong with a step on any base is said before anything is made."""
import collections
import re
import shlex

from patches import csource, hunks
from shared.common import ROOT, fail

# How many arguments an action takes
ARGUMENTS = {"file": (1, 1), "take": (2, 99), "drop": (2, 99), "edit": (0, 0), "brings": (1, 2),
             "maintainers": (0, 0), "only": (2, 2), "alone": (0, 0), "optional": (0, 0)}
CHANGE = "change.diff"
STEPS = ROOT / "series"


def shown(path):
    """A file of a step, as messages name it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def read(path):
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return fail(f"{shown(path)}: no such file")
    except UnicodeDecodeError:
        return fail(f"{shown(path)}: not UTF-8")


def actions(step):
    """[(place, verb, argument, ...)] of a step."""
    found = []
    for number, line in enumerate(read(step / "step").splitlines(), 1):
        place = f"{shown(step / 'step')}:{number}"
        try:
            words = shlex.split(line, comments=True)
        except ValueError as wrong:
            fail(f"{place}: {wrong}")
        if not words:
            continue
        if words[0] not in ARGUMENTS:
            fail(f"{place}: unknown action {words[0]}, see scripts/patches/steps.py")
        least, most = ARGUMENTS[words[0]]
        if not least <= len(words) - 1 <= most:
            fail(f"{place}: {words[0]} does not take {len(words) - 1} arguments")
        found.append((place, *words))
    if not found:
        fail(f"{shown(step / 'step')}: no action")
    return found


def edits(step):
    """The hunks beside a step."""
    path = step / CHANGE
    try:
        found = hunks.parse(read(path), shown(path))
    except hunks.Mismatch as wrong:
        fail(wrong)
    return found or fail(f"{shown(path)}: no hunk")


def check(step):
    """Fail if a step could not be made on any base."""
    if not re.fullmatch(r"\d\d-[\w-]+", step.name):
        fail(f"{shown(step)}: a step's folder is named NN-name")
    if not re.match(r"\S.*\n\n.*\S", read(step / "message")):
        fail(f"{shown(step / 'message')}: not a subject, an empty line, and text")
    for place, verb, *args in actions(step):
        if verb == "edit":
            edits(step)
        if verb in ("file", "brings") and not (ROOT / args[0]).exists():
            fail(f"{place}: no file of ours is {args[0]}")
        if verb == "take" and args[1].startswith("@"):
            read(step / args[1][1:])


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


class OurFile:
    """A file of ours, as a tree for steps that edit it."""

    def __init__(self, version, path):
        self.version, self.path, self.text = version, path, read(ROOT / path)

    def edit(self, path, change):
        if path == self.path:
            self.text = change(self.text)


class Steps:
    """The steps of one series, to be made in a tree."""

    def __init__(self, folder):
        self.skipped = set()
        self.folders = sorted(path for path in folder.iterdir() if path.is_dir())
        if not self.folders:
            fail(f"{shown(folder)}: no steps")
        for step in self.folders:
            check(step)
        for number, count in collections.Counter(
                step.name[:2] for step in self.folders).items():
            if count > 1:
                fail(f"{shown(folder)}: {count} steps with the number {number}")
        self.brought = [(step, *(args + [None])[:2]) for step in self.folders
                        for _, verb, *args in actions(step) if verb == "brings"]
        self.alone, self.optional = ([step for step in self.folders if verb in
                                      [found for _, found, *_ in actions(step)]]
                                     for verb in ("alone", "optional"))
        behind = self.folders[len(self.folders) - len(self.optional):]
        for step in self.optional:
            if step not in behind:
                fail(f"{shown(step)}: an optional step in front of one that is not")
        self.made = []

    def ours(self, path, step):
        """The text of our file, as STEP can have it."""
        later = tuple(text for other, known, text in self.brought
                      if known == path and text and other.name > step.name)
        text = read(ROOT / path)
        return without(text, later) if later else text

    def take(self, tree, step, path, names):
        if names[0].startswith("@"):
            source, before = read(step / names[0][1:]), (names + [None])[1]
            names = [name for name, text in csource.definitions(source)
                     if not text.startswith("//")]
        else:
            source, before = self.ours(path, step), None
        tree.edit(path, lambda text: csource.take(text, source, names, before))

    def act(self, tree, step, verb, *args):
        """Do one line of a step."""
        if verb == "file":
            for name in tree.copy(args[0], [path for other, path, text in self.brought
                                            if not text and other.name > step.name]):
                if any(known == name for _, known, _ in self.brought):
                    tree.edit(name, lambda _, name=name: self.ours(name, step))
        elif verb == "take":
            self.take(tree, step, args[0], list(args[1:]))
        elif verb == "drop":
            tree.edit(args[0], lambda text: csource.drop(text, args[1:]))
        elif verb == "edit":
            for hunk in edits(step):
                tree.edit(hunk.path, hunk.edit)
        elif verb == "maintainers":
            entry = self.ours("MAINTAINERS", step)
            tree.edit("MAINTAINERS", lambda text: maintainers(tree, entry, text))

    def make(self, tree, step):
        """Do a whole step; false if it is not for this base."""
        for place, *words in actions(step):
            try:
                if words[0] == "only" and words[2] not in tree.read(words[1]):
                    self.skipped.add(step)
                    return False
                self.act(tree, step, *words)
            except KeyError as missing:
                fail(f"{place}: no definition of {missing} on {tree.version}")
            except FileNotFoundError as missing:
                fail(f"{place}: {missing} on {tree.version}")
            except hunks.Mismatch as wrong:
                fail(f"{wrong}, on {tree.version}")
        self.skipped.discard(step)
        self.made.append(step)
        return True

    def finished(self, version, path):
        """Our file as the base last made has it: edited by steps for some bases only that are
        behind those which bring it."""
        whole = [step for step in self.folders for _, verb, *args in actions(step)
                 if verb == "file" and path.startswith(args[0])]
        file = OurFile(version, path)
        for step in self.folders[self.folders.index(whole[-1]) + 1 if whole else 0:]:
            verbs = [verb for _, verb, *_ in actions(step)]
            if "only" in verbs and step not in self.skipped:
                for _, verb, *args in actions(step):
                    if verb in ("take", "drop", "edit"):
                        self.act(file, step, verb, *args)
        return file.text


def maintainers(tree, entry, text):
    """MAINTAINERS with our ENTRY before the first that sorts behind it and begins with the same
    word: others are not all in their place."""
    ours = re.sub(r"\A(.*\n)*?\n(?=[A-Z])", "", entry, count=1)
    ours = tree.place(ours).rstrip() + "\n"
    title = ours.split("\n", 1)[0]
    listing = text.index("Maintainers List")
    for other in re.finditer(r"(?<=\n\n)([^\s].*)\n(?=[A-Z]:\t)", text):
        if other.start() > listing and other.group(1) > title and \
                other.group(1).split()[0] == title.split()[0]:
            return text[:other.start()] + ours + "\n" + text[other.start():]
    return fail(f"found no place for {title} in MAINTAINERS")
