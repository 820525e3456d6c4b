# SPDX-License-Identifier: GPL-2.0-only
"""Taking definitions from one C file to another."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SCRIPTS))
from patches import csource  # noqa: E402  pylint: disable=wrong-import-position

OLD = """// SPDX-License-Identifier: GPL-2.0-only
/* A file. */

#include <linux/a.h>

#include <asm/b.h>

#define LIMIT	4

/*
 * Several lines,

 * one of them empty.
 */
static int first(int x,
		 int y)
{
	if (x)

		return y;
	return LIMIT;
}

#ifdef CONFIG_X
int second(void)
{
	return first(1, 2);
}
#endif

struct thing {
	int member;

	int other;
};
"""
NEW = """// SPDX-License-Identifier: GPL-2.0-only

static int first(int x)
{
	return x;
}

/* Helps. */
static int helper(void)
{
	return 0;
}

int second(void)
{
	return helper();
}
"""


class Definitions(unittest.TestCase):
    def test_joined_again_they_are_the_file(self):
        parts = csource.definitions(OLD)
        self.assertEqual(csource.join(parts), OLD)
        self.assertEqual([name for name, _ in parts][1:],
                         ["#include", "LIMIT", "first", "second", "thing"])

    def test_take_replaces_and_inserts_in_order(self):
        text = csource.take(OLD, NEW, ["first", "helper"])
        names = [name for name, _ in csource.definitions(text)][1:]
        self.assertEqual(names, ["#include", "LIMIT", "first", "helper", "second", "thing"])
        self.assertIn("first(int x)\n", text)
        self.assertIn("/* Helps. */", text)
        self.assertIn("#ifdef CONFIG_X", text)

    def test_take_can_place_new_ones_before_another(self):
        text = csource.take(OLD, NEW, ["helper"], before="first")
        names = [name for name, _ in csource.definitions(text)]
        self.assertEqual(names.index("helper") + 1, names.index("first"))

    def test_take_of_what_is_not_there_fails(self):
        with self.assertRaises(KeyError):
            csource.take(OLD, NEW, ["third"])

    def test_drop(self):
        text = csource.drop(OLD, ["second", "absent"])
        self.assertNotIn("CONFIG_X", text)
        self.assertIn("struct thing", text)


class Between(unittest.TestCase):
    def test_the_first_is_left_out_and_the_last_is_not(self):
        text, line = csource.between(OLD, "LIMIT", "second")
        self.assertEqual([name for name, _ in csource.definitions(text)], ["first", "second"])
        self.assertTrue(text.startswith("/*\n * Several lines"))
        self.assertEqual(OLD.split("\n")[line - 1:][:text.count("\n")], text.split("\n")[:-1])

    def test_names_that_are_wrong_are_refused(self):
        for behind, last in (("absent", "second"), ("first", "absent"), ("second", "first"),
                             ("first", "first")):
            with self.assertRaises(ValueError):
                csource.between(OLD, behind, last)

    def command(self, *args):
        done = subprocess.run([SCRIPTS / "patches/csource.py", *args], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_command(self):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write(OLD)
            file.flush()
            status, out, err = self.command(file.name, "--behind", "first", "--to", "second")
            self.assertEqual((status, err), (0, ""))
            line, text = out.split("\n", 1)
            self.assertEqual(text, csource.between(OLD, "first", "second")[0])
            number = 1 + OLD.split("\n").index("#ifdef CONFIG_X")
            self.assertEqual(line, f'#line {number} "{file.name}"')
            status, out, err = self.command(file.name, "--behind", "first", "--to", "third")
            self.assertEqual((status, out), (1, ""))
            self.assertEqual(err, f"csource: {file.name}: no definition of third\n")

    def test_command_without_a_file(self):
        status, out, err = self.command("/nowhere.c", "--behind", "a", "--to", "b")
        self.assertEqual((status, out), (1, ""))
        self.assertEqual(err, "csource: /nowhere.c: No such file or directory\n")


if __name__ == "__main__":
    unittest.main()
