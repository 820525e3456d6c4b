# SPDX-License-Identifier: GPL-2.0-only
"""Which kernel trees scripts/base takes."""
import pathlib
import subprocess
import tempfile
import unittest

from loader import SCRIPTS

MAKEFILE = """# SPDX-License-Identifier: GPL-2.0
VERSION = {}
PATCHLEVEL = {}
SUBLEVEL = {}
EXTRAVERSION ={}
NAME = None
"""


class Versions(unittest.TestCase):
    def base(self, makefile):
        """Exit status, standard output and standard error for a tree with this Makefile."""
        with tempfile.TemporaryDirectory() as folder:
            self.tree = pathlib.Path(folder).resolve()
            (self.tree / "arch/arm64/kernel").mkdir(parents=True)
            (self.tree / "Kbuild").touch()
            (self.tree / "Makefile").write_text(makefile)
            done = subprocess.run([SCRIPTS / "base", self.tree], capture_output=True, text=True,
                                  check=False)
        return done.returncode, done.stdout, done.stderr

    def test_6_1_and_later_are_taken(self):
        for version in ((6, 1, 0, ""), (6, 1, 192, ""), (6, 10, 0, ""), (7, 0, 0, " -rc1"),
                        (10, 0, 0, "")):
            name = "{}.{}.{}".format(*version) + version[3].strip()
            self.assertEqual(self.base(MAKEFILE.format(*version)), (0, f"{name} {self.tree}\n", ""))

    def test_older_ones_are_not(self):
        for version in ((6, 0, 19, ""), (5, 10, 240, ""), (5, 19, 0, " -rc8"), (2, 6, 39, "")):
            name = "{}.{}.{}".format(*version) + version[3].strip()
            result = self.base(MAKEFILE.format(*version))
            self.assertEqual(result, (1, "", f"base: {self.tree} is Linux {name}: "
                                             "the series is for 6.1 and later\n"))

    def test_a_makefile_without_a_version_is_not(self):
        for makefile in ("all:\n", "VERSION = 6\n", "VERSION = 6\nPATCHLEVEL = x\nSUBLEVEL = 1\n"):
            status, out, err = self.base(makefile)
            self.assertEqual((status, out, err.count("\n")), (1, "", 1))
            self.assertIn(f"{self.tree} is no kernel tree", err)


if __name__ == "__main__":
    unittest.main()
