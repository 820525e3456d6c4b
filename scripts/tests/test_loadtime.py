# SPDX-License-Identifier: GPL-2.0-only
"""What the selftest's loadtime calls a module, with a stand-in for the kernel."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from loader import SCRIPTS

ROOT = SCRIPTS.parent
sys.path.append(str(ROOT / "tools/testing/module_plts"))
import make_module  # noqa: E402  pylint: disable=wrong-import-position

# One module can be loaded, and is called what the environment says; what is asked for is told
KERNEL = r"""
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

long kernel_call(long number, ...)
{
	static int loaded;
	const char *name = "";
	va_list args;
	int bad;

	va_start(args, number);
	if (number == SYS_delete_module)
		name = va_arg(args, const char *);
	va_end(args);
	fprintf(stderr, number == SYS_finit_module ? "load\n" : "unload %s\n", name);
	bad = number == SYS_finit_module ? loaded : !loaded || strcmp(name, getenv("MODULE"));
	if (bad)
		errno = loaded ? EEXIST : ENOENT;
	else
		loaded = !loaded;
	return bad ? -1 : 0;
}
"""


@unittest.skipUnless(shutil.which("cc"), "no cc on this machine")
class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.folder / "kernel.c").write_text(KERNEL)
        subprocess.run(["cc", "-Wall", "-Werror", "-Dsyscall=kernel_call",
                        "-fsanitize=address,undefined", "-fno-sanitize=alignment",
                        "-fno-sanitize-recover=all",
                        "-o", cls.folder / "loadtime", cls.folder / "kernel.c",
                        ROOT / "tools/testing/selftests/module_plts/loadtime.c"], check=True)

    def loadtime(self, name, data, *options):
        """Exit status, rows and messages for a file of that name."""
        path = self.folder / name
        path.write_bytes(data)
        done = subprocess.run([self.folder / "loadtime", *options, path], check=False, text=True,
                              env={"MODULE": "probe_2", "ASAN_OPTIONS": "exitcode=99"},
                              errors="replace", capture_output=True)
        return (done.returncode, [row.rsplit(",", 1)[0] for row in done.stdout.splitlines()[1:]],
                done.stderr.replace(str(path), name).splitlines())

    def test_the_name_is_that_in_the_module(self):
        module = make_module.module(name="probe_2")
        for name in ("probe-2.ko", "v6.12_probe.ko", "probe_2-6.12.ko", "other.kox", "a.ko.ko"):
            self.assertEqual(self.loadtime(name, module, "--rounds", "3"),
                             (0, ["probe_2,total", "probe_2,wall"] * 3,
                              ["load", "unload probe_2"] * 3))

    def test_files_without_a_name(self):
        module = make_module.module(name="probe_2")
        no_info = [sec for sec in make_module.sections_of() if sec[0] != ".modinfo"]
        nameless = "not a module: it has no name= in .modinfo"
        unpack = "not a 64-bit ELF file; a compressed module has to be unpacked"
        for data, why in (
                (make_module.build(no_info), nameless),
                (make_module.module(name=""), nameless),
                (make_module.module(name="x" * 300), nameless),
                (module.replace(b"name=", b"nome="), nameless),
                (module.replace(b"SMP aarch64\0", b"SMP aarch64x"), nameless),
                (module[:-64], nameless), (module[:70], nameless), (module[:63], unpack),
                (b"\xfd7zXZ" + bytes(99), unpack), (b"", "empty, or no file")):
            self.assertEqual(self.loadtime("a.ko", data), (1, [], [f"loadtime: a.ko: {why}"]))

    def test_each_header_cut_or_spoilt_is_survived(self):
        sections = [*make_module.sections_of(name="probe_2"), (".pad", 1, 0, b"", 0)]
        room = 4096 - len(make_module.build(sections))
        sections[-1] = (".pad", 1, 0, bytes(room), 0)
        module = make_module.build(sections)
        self.assertEqual(len(module), 4096)     # so that a byte more is one of no page
        for at in [*range(0, 64, 4), *range(4096 - 10 * 64, 4096, 4)]:
            spoilt = module[:at] + b"\xff\xff\xff\x7f" + module[at + 4:]
            for data in (spoilt, module[:at]):
                self.assertIn(self.loadtime("a.ko", data)[0], (0, 1), at)


if __name__ == "__main__":
    unittest.main()
