# SPDX-License-Identifier: GPL-2.0-only
"""Edits of files that are not ours, kept as a reader knows them: as a diff.

    --- PATH            the file that the hunks below are for
    @@ NAME             the definition to look in, see csource.py; without NAME the whole file
    @@| NAME            on a base that the hunk above does not fit, this one instead
     line               stays, and is there to find the place
    -line               goes
    +line               comes

There are no line numbers: the lines that stay and go, one behind the other, must stand in
that place once. A line with "..." behind its first character stands for any lines up to the
next one. Lines that begin with # are comments."""
import re

from patches import csource


class Mismatch(Exception):
    """A hunk that does not fit its file: one line of what and where."""


class Hunk:
    """Lines that stay, go and come, at one place of a file."""

    def __init__(self, where, path, name):
        self.where, self.path, self.name = where, path, name
        self.lines = []
        self.instead = None     # of this one, the hunk for another base

    def place(self, have, start):
        """The lines of HAVE behind START as the hunk leaves them, and where it ends, or None."""
        out, at = [], start
        for index, (mark, text) in enumerate(self.lines):
            if mark == "+":
                out.append(text)
            elif text == "...":
                wanted = next((text for mark, text in self.lines[index + 1:] if mark != "+"), None)
                while at < len(have) and have[at] != wanted:
                    out += [have[at]] * (mark == " ")
                    at += 1
            elif at < len(have) and have[at] == text:
                out += [text] * (mark == " ")
                at += 1
            else:
                return None
        return out, at

    def apply(self, text):
        """TEXT, lines, with the hunk applied; Mismatch if it does not fit once."""
        have = text.split("\n")
        found = [(start, result) for start in range(len(have))
                 if (result := self.place(have, start))]
        if len(found) != 1:
            place = f"{self.name}, {self.path}" if self.name else self.path
            lost = [line for mark, line in self.lines if mark != "+" and line != "..."
                    and line not in have]
            raise Mismatch(f"{self.where}: its lines stand {len(found)} times in {place}"
                           + (f"; not there: '{lost[0]}'" if lost else ""))
        start, (lines, end) = found[0]
        return "\n".join(have[:start] + lines + have[end:])

    def edit(self, text):
        """The file's TEXT with the hunk applied, or the one that is for such a file."""
        try:
            return self.edit_definition(text) if self.name else self.apply(text)
        except Mismatch:
            if not self.instead:
                raise
            return self.instead.edit(text)

    def edit_definition(self, text):
        parts = csource.definitions(text)
        names = [name for name, _ in parts]
        if self.name not in names:
            raise Mismatch(f"{self.where}: {self.path} has no {self.name}")
        at = names.index(self.name)
        parts[at] = self.name, self.apply(parts[at][1])
        return csource.join(part for part in parts if part[1])


def parse(text, name):
    """The hunks of TEXT, the contents of the file NAME."""
    hunks, instead, path = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{name}:{number}"
        head = re.fullmatch(r"@@(\|?)(?: (.+))?", line)
        if line.startswith("#"):
            continue
        if re.match(r"\+\+\+ |--- [ab]/|@@ -\d|diff ", line):
            raise Mismatch(f"{where}: not the form of git's diff: '--- PATH', '@@ NAME', see "
                           "scripts/patches/hunks.py")
        if line.startswith("--- "):
            path = line[4:].strip()
        elif head and path:
            hunks.append(Hunk(where, path, head[2]))
            if head[1]:
                if len(hunks) < 2 or hunks[-2].path != path:
                    raise Mismatch(f"{where}: no hunk above to be used instead of")
                instead.append(hunks[-1])
        elif hunks and hunks[-1].path == path and line[:1] in ("", " ", "-", "+"):
            hunks[-1].lines.append((line[:1] or " ", line[1:]))
        else:
            raise Mismatch(f"{where}: neither a file, '--- PATH', nor a part of a hunk of it")
    for hunk in hunks:
        # An empty line in front of the next head is for the reader
        while hunk.lines and hunk.lines[-1] == (" ", ""):
            hunk.lines.pop()
        if [text for mark, text in hunk.lines if mark != "+"][-1:] == ["..."]:
            raise Mismatch(f"{hunk.where}: no line says where '...' ends in {hunk.path}")
        if all(mark == "+" or text == "..." for mark, text in hunk.lines):
            raise Mismatch(f"{hunk.where}: no line says where in {hunk.path}")
        if all(mark == " " for mark, _ in hunk.lines):
            raise Mismatch(f"{hunk.where}: changes nothing in {hunk.path}")
    for hunk in instead:
        hunks[hunks.index(hunk) - 1].instead = hunk
    return [hunk for hunk in hunks if hunk not in instead]
