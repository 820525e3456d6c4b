# SPDX-License-Identifier: GPL-2.0-only
"""Reading trace events from a module: one is made here, as the kernel's macros make it."""
import gzip
import pathlib
import subprocess
import tempfile
import unittest

from loader import SCRIPTS
from shared.common import CROSS

EVALS = SCRIPTS.parent / "tools/testing/module_load/evals.py"
SOURCE = r"""
struct map { const char *system, *string; long value; };
struct field { const char *type, *name; int size, align, is_signed, filter, len; };
struct class { const char *system; void *probe[3]; struct field *fields; };
struct call { void *list[2]; struct class *class; const char *name; void *event[5]; char *fmt; };

static const char system_one[] = "same", system_two[] = "same";
static struct map maps[] = {
	{ system_one, "FOO", -5 }, { system_two, "sizeof(x)", 0x7fffffffffffffff },
};
static struct map *eval_maps[] __attribute__((used, section("_ftrace_eval_map"))) = {
	&maps[0], &maps[1],
};
static struct field trace_event_fields_one[] = {
	{ "char[FOO]", "a", 1, 1, 0, 2 }, { "int", "b", 4, 4, 1, 0 }, { 0 },
};
static struct field trace_event_fields_two[] = { { "x", "a" }, { 0 } };
static struct class event_class_one = { system_one, { 0 }, trace_event_fields_one };
static struct class event_class_two = { system_two, { 0 }, trace_event_fields_two };
static char print_fmt_one[] = "\"%d\", FOO", print_fmt_two[] = "", print_fmt_other[] = "FOO";
static struct call calls[] = {
	{ .class = &event_class_one, .name = "a", .fmt = print_fmt_one },
	{ .class = &event_class_two, .name = "b", .fmt = print_fmt_two },
	{ .class = &event_class_one, .name = "c", .fmt = print_fmt_other },
	{ .class = &event_class_one, .name = "d", .fmt = print_fmt_one },
};
static struct call *events[] __attribute__((used, section("_ftrace_events"))) = {
	&calls[0], &calls[1], &calls[2], &calls[3],
};
"""
RECORDS = ["V0 -5 FOO", "V1 9223372036854775807 sizeof(x)",
           "C0", "T2 char[FOO]", "T0 int", 'F"%d", FOO', "E", "FFOO",
           "C1", "T0 x", "F"]


class Evals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, source):
        done = self.folder / "module.o"
        subprocess.run([CROSS + "gcc", "-x", "c", "-c", "-o", done, "-"], input=source, text=True,
                       check=True)
        return done.read_bytes()

    def read(self):
        done = subprocess.run([EVALS, self.folder], capture_output=True, check=False)
        return done.returncode, done.stdout.decode().split("\0")[:-1], done.stderr.decode()

    def test_what_a_module_has(self):
        data = self.build(SOURCE)
        (self.folder / "a.ko").write_bytes(data)
        (self.folder / "b.ko.gz").write_bytes(gzip.compress(data))
        self.assertEqual(self.read(), (0, ["Ma.ko", *RECORDS, "Mb.ko.gz", *RECORDS], ""))

    def test_modules_without_events_are_left_out(self):
        (self.folder / "a.ko").write_bytes(self.build("int x;"))
        self.assertEqual(self.read(), (0, [], ""))

    def test_what_is_no_module_is_skipped(self):
        (self.folder / "a.ko").write_bytes(b"text")
        (self.folder / "b.ko").write_bytes(self.build(SOURCE)[:200])
        status, out, err = self.read()
        self.assertEqual((status, out), (0, []))
        self.assertEqual(err, f"{self.folder}/a.ko: skipped: not an arm64 module\n"
                              f"{self.folder}/b.ko: skipped: points outside itself\n")

    def test_an_event_that_cannot_be_read_fails(self):
        (self.folder / "a.ko").write_bytes(self.build(SOURCE.replace("print_fmt_", "fmt_")))
        self.assertEqual(self.read()[2], f"{self.folder}/a.ko: an event without a print format\n")

    def test_no_modules(self):
        self.assertEqual(self.read(), (1, [], f"evals: {self.folder}: no modules found\n"))


if __name__ == "__main__":
    unittest.main()
