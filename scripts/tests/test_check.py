# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/check makes of configurations, warnings and mails; To and Cc of the series; how
scripts/test counts; what scripts/qemu packs."""
import email
import pathlib
import tempfile
import unittest

from loader import load
import checking.build
import checking.mail
from shared import kconfig

CONFIG = "CONFIG_MODULES=y\n# CONFIG_KASAN is not set\nCONFIG_NR_CPUS=64\n"
LISTING = """\
The Maintainer <maintainer@example.org> (maintainer:ARM64 PORT (AARCH64 ARCHITECTURE))
Reviewer <reviewer@example.org> (reviewer:ZIP)
Other <other@example.org> (reviewer:ARM64 PORT (AARCH64 ARCHITECTURE))
arm@example.org (moderated list:ARM64 PORT (AARCH64 ARCHITECTURE))
all@example.org (open list)
"""


class Check(unittest.TestCase):
    def test_options_that_do_not_take(self):
        self.assertEqual(kconfig.lost({"MODULES": "y", "KASAN": "n", "SMP": "n"}, CONFIG), [])
        self.assertEqual(kconfig.lost({"MODULES": "n", "KASAN": "y", "SMP": "y",
                                       "NR_CPUS": "4"}, CONFIG),
                         ["CONFIG_MODULES=n", "CONFIG_KASAN=y", "CONFIG_SMP=y",
                          "CONFIG_NR_CPUS=4"])

    def test_of_fragments_the_last_counts(self):
        self.assertEqual(kconfig.options(f"CONFIG_KASAN=y\n{CONFIG}"),
                         {"KASAN": "n", "MODULES": "y", "NR_CPUS": "64"})
        self.assertEqual(kconfig.options(f"{CONFIG}CONFIG_KASAN=y\n")["KASAN"], "y")

    def test_a_warning_is_the_same_on_another_line(self):
        self.assertEqual(checking.build.unplaced("a.c:12:3: warning: x"),
                         checking.build.unplaced("a.c:123:14: warning: x"))
        self.assertNotEqual(checking.build.unplaced("a.c:12:3: warning: x1"),
                            checking.build.unplaced("a.c:12:3: warning: x2"))

    def test_addresses_of_a_mail(self):
        mail = email.message_from_string("To: Maintainer <maintainer@example.org>,\n"
                                         "\tarm@example.org\n"
                                         "Cc: \"Reviewer, A\" <reviewer@example.org>\n\n")
        self.assertEqual(checking.mail.addresses(mail),
                         {"maintainer@example.org", "arm@example.org", "reviewer@example.org"})

    def test_to_and_cc(self):
        self.assertEqual(load("series").recipients(LISTING),
                         "To: The Maintainer <maintainer@example.org>\n"
                         "Cc: Reviewer <reviewer@example.org>,\n\tOther <other@example.org>,\n"
                         "\tarm@example.org,\n\tall@example.org\n")

    def test_results_that_a_plan_has_more_are_failed(self):
        count = load("test").count
        self.assertEqual(count("1..2\nok 1 a\nok 2 b # SKIP c\n", 0), (1, 0, 1))
        self.assertEqual(count("..s\nRan 3 tests in 0.1s\n\nOK (skipped=1)\n", 0), (2, 0, 1))
        self.assertEqual(count("Ran 1 test in 0.1s\n\nOK\n", 0), (1, 0, 0))
        self.assertEqual(count("Ran 9 tests in 1s\n\nFAILED (failures=2, errors=1, skipped=1)\n",
                               1), (5, 3, 1))
        self.assertEqual(count("1..30\nok 1 a\n", 0), (1, 29, 0))
        self.assertEqual(count("1..1\n    1..2\n    ok 1 a\nok 1 b\n", 0), (2, 1, 0))

    def test_files_of_the_guest(self):
        files = load("qemu").guest_files
        with tempfile.TemporaryDirectory() as folder:
            here = pathlib.Path(folder)
            (here / "sub").mkdir()
            (here / "sub/a").touch()
            self.assertEqual(files([f"/m={here}", f"/x={here}/sub/a"]),
                             {"/m/sub/a": here / "sub/a", "/x": here / "sub/a"})
            (here / "b c").touch()
            for bad in (f"/m={here}", f"/m={here}/none", "/m"):
                with self.assertRaises(SystemExit):
                    files([bad])


if __name__ == "__main__":
    unittest.main()
