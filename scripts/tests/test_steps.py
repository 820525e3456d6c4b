# SPDX-License-Identifier: GPL-2.0-only
"""Edits kept as a diff, and lines that come with a later step."""
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

# pylint: disable=wrong-import-position
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from patches import hunks, steps  # noqa: E402

SOURCE = """\
#include <linux/a.h>

static int one(void)
{
	int x = 0;

	return x;
}


/* Two. */
static int two(void)
{
	int x = 0;

	x++;
	return x;
}
"""


def edit(diff, text=SOURCE):
    for hunk in hunks.parse("--- f.c\n" + diff, "change.diff"):
        text = hunk.edit(text)
    return text


class Hunks(unittest.TestCase):
    def fails(self, diff, message):
        with self.assertRaisesRegex(hunks.Mismatch, message):
            edit(diff)

    def test_looks_in_one_definition_only(self):
        self.assertEqual(edit("@@ two\n-\tint x = 0;\n+\tint x = 1;\n"),
                         SOURCE.replace("int x = 0;\n\n\tx++", "int x = 1;\n\n\tx++"))
        self.fails("@@\n-\tint x = 0;\n", "stand 2 times in f.c")

    def test_lines_that_stay_are_only_to_find_the_place(self):
        self.assertEqual(edit("@@\n #include <linux/a.h>\n+#include <linux/b.h>\n"),
                         SOURCE.replace("a.h>\n", "a.h>\n#include <linux/b.h>\n"))

    def test_any_lines_up_to_the_next(self):
        self.assertEqual(edit("@@ two\n-\tint x = 0;\n-...\n-\tx++;\n"),
                         SOURCE.replace("\tint x = 0;\n\n\tx++;\n", ""))
        self.assertEqual(edit("@@ two\n \tint x = 0;\n ...\n-\tx++;\n"),
                         SOURCE.replace("\tx++;\n", ""))

    def test_instead(self):
        self.assertEqual(edit("@@ two\n-\tint y = 0;\n@@| two\n-\tx++;\n+\tx--;\n"),
                         SOURCE.replace("x++", "x--"))
        self.fails("@@ two\n-\tint y = 0;\n@@| two\n-\tint z;\n", "stand 0 times in two, f.c")

    def test_says_what_is_wrong_and_where(self):
        self.fails("@@ three\n-\tx++;\n", "change.diff:2: f.c has no three")
        self.fails("@@ two\n+\tx++;\n", "no line says where")
        self.fails("@@ two\n \tx++;\n", "changes nothing")
        self.fails("@@ two\n-\tx++;\nx++;\n", "change.diff:4: neither")
        self.fails("@@| two\n-\tx++;\n", "no hunk above")
        self.fails("@@ two\n-\tx++;\n-...\n+\tx--;\n", "no line says where '...' ends")
        self.fails("@@ two\n \tx++;\n-\tz++;\n", "not there: '\tz\\+\\+;'")
        for line in ("--- a/f.c", "+++ b/f.c", "@@ -1,2 +1,2 @@ two"):
            self.fails(f"{line}\n-\tx++;\n", "not the form of git's diff")

    def test_a_definition_that_goes_leaves_no_gap(self):
        self.assertEqual(edit("@@ #include\n-#include <linux/a.h>\n"),
                         SOURCE.split("\n\n", 1)[1])


class Folders(unittest.TestCase):
    """What is wrong with a step is said in one line, before anything is made."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.series = pathlib.Path(folder.name)
        self.write("01-one", message="one\n\nWhy.\n", step="edit\n",
                   **{"change.diff": "--- f.c\n@@ two\n-\tx++;\n"})

    def write(self, name, **files):
        (self.series / name).mkdir(exist_ok=True)
        for file, text in files.items():
            (self.series / name / file).write_bytes(text.encode("latin-1"))

    def fails(self, message):
        with self.assertRaisesRegex(SystemExit, message) as raised:
            steps.Steps(self.series)
        self.assertEqual(len(str(raised.exception).splitlines()), 1)

    def test_a_good_one(self):
        self.assertEqual([step.name for step in steps.Steps(self.series).folders], ["01-one"])

    def test_only_for_some_bases(self):
        tree = mock.Mock(version="1.0")
        self.write("01-one", step="only f.c two\nedit\n")
        made = steps.Steps(self.series)
        for text, called in (("one", 0), ("one two", 1)):
            tree.read.return_value = text
            self.assertEqual(made.make(tree, made.folders[0]), bool(called))
            self.assertEqual(tree.edit.call_count, called)

    def test_ours_as_the_base_has_it(self):
        """What is edited for some bases only, behind the step that brings the file."""
        (self.series / "f.c").write_text(SOURCE)
        self.write("00-base", message="base\n\nWhy.\n", step="only f.c old\nedit\n",
                   **{"change.diff": "--- f.c\n@@ old\n-\told();\n"})
        self.write("01-one", step="file f.c\n")
        self.write("02-two", message="two\n\nWhy.\n", step="only f.c one\nedit\n",
                   **{"change.diff": "--- g.c\n@@\n-g\n--- f.c\n@@ two\n-\tx++;\n"})
        with mock.patch.object(steps, "ROOT", self.series):
            made = steps.Steps(self.series)
            self.assertEqual(made.finished("1.0", "f.c"), SOURCE.replace("\tx++;\n", ""))
            tree = mock.Mock(version="1.0", **{"read.return_value": "no"})
            self.assertFalse(made.make(tree, made.folders[2]))
            self.assertEqual(made.finished("1.0", "f.c"), SOURCE)

    def test_files_that_come_later(self):
        """A folder goes without what a later step brings; lines of it too."""
        root, self.series = self.series, self.series / "series"
        for folder in ("d", "series"):
            (root / folder).mkdir()
        for name in ("a.c", "b.c"):
            (root / "d" / name).write_text("one\ntwo\n")
        self.write("01-one", message="one\n\nWhy.\n", step="file d\n")
        self.write("02-two", message="two\n\nWhy.\n",
                   step="optional\nbrings d/b.c\nbrings d/a.c two\nfile d\n")
        with mock.patch.object(steps, "ROOT", root):
            made = steps.Steps(self.series)
            self.assertEqual([step.name for step in made.optional], ["02-two"])
            tree = mock.Mock(**{"copy.return_value": ["d/a.c"]})
            for step, left in zip(made.folders, (["d/b.c"], [])):
                made.make(tree, step)
                self.assertEqual(tree.copy.call_args, mock.call("d", left))
            self.assertEqual([made.ours("d/a.c", step) for step in made.folders],
                             ["one\n", "one\ntwo\n"])
            self.assertEqual(made.ours("d/b.c", made.folders[0]), "one\ntwo\n")

    def test_optional_steps_are_last(self):
        self.write("01-one", step="optional\nedit\n")
        self.assertEqual(len(steps.Steps(self.series).optional), 1)
        self.write("02-two", message="two\n\nWhy.\n", step="maintainers\n")
        self.fails("01-one: an optional step in front of one that is not")

    def test_fixes(self):
        self.write("02-two", message="two\n\nWhy.\n", step="alone\nmaintainers\n")
        self.assertEqual([step.name for step in steps.Steps(self.series).alone], ["02-two"])

    def test_names_and_numbers(self):
        self.write("01-two", message="two\n\nWhy.\n", step="maintainers\n")
        self.fails("2 steps with the number 01")
        (self.series / "01-two").rename(self.series / "2-two")
        self.fails("2-two: a step's folder is named NN-name")

    def test_files(self):
        for file, text, message in (
                ("message", "one\n", "message: not a subject"),
                ("message", "\xe9\n\nWhy.\n", "message: not UTF-8"),
                ("step", "# nothing\n", "step: no action"),
                ("step", "edit\nedits\n", "step:2: unknown action edits"),
                ("step", "edit this\n", "step:1: edit does not take 1 arguments"),
                ("step", "take 'a\n", "step:1: No closing quotation"),
                ("step", "take f.c @a.c\n", "a.c: no such file"),
                ("step", "file nosuch.c\n", "step:1: no file of ours is nosuch.c"),
                ("change.diff", "# nothing\n", "change.diff: no hunk")):
            with self.subTest(message):
                self.setUp()
                self.write("01-one", **{file: text})
                self.fails(message)
        for file in ("message", "step", "change.diff"):
            self.setUp()
            (self.series / "01-one" / file).unlink()
            self.fails(f"{file}: no such file")


class Later(unittest.TestCase):
    def test_lines_that_come_later_leave_no_gap(self):
        text = "a\n\n#include <b>\n\nc\nEXPORT(c);\n\nd\n"
        self.assertEqual(steps.without(text, ("#include", "EXPORT(")), "a\n\nc\n\nd\n")


if __name__ == "__main__":
    unittest.main()
