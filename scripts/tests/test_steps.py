# SPDX-License-Identifier: GPL-2.0-only
"""Edits kept as a diff, and lines that come with a later step."""
import sys
import pathlib
import unittest

# pylint: disable=wrong-import-position
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import hunks  # noqa: E402
import steps  # noqa: E402

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

    def test_a_definition_that_goes_leaves_no_gap(self):
        self.assertEqual(edit("@@ #include\n-#include <linux/a.h>\n"),
                         SOURCE.split("\n\n", 1)[1])


class Later(unittest.TestCase):
    def test_lines_that_come_later_leave_no_gap(self):
        text = "a\n\n#include <b>\n\nc\nEXPORT(c);\n\nd\n"
        self.assertEqual(steps.without(text, ("#include", "EXPORT(")), "a\n\nc\n\nd\n")


if __name__ == "__main__":
    unittest.main()
