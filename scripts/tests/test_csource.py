# SPDX-License-Identifier: GPL-2.0-only
"""Taking definitions from one C file to another."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import csource  # noqa: E402  pylint: disable=wrong-import-position

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


if __name__ == "__main__":
    unittest.main()
