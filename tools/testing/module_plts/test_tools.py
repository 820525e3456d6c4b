#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What modplt, bench and corpus.py say of files, good ones and bad ones. Prints KTAP."""
import bz2
import gzip
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from make_module import EXEC, ALLOC, NOBITS, build, module, sections_of

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
HERE = pathlib.Path(__file__).resolve().parent
MODPLT, BENCH = BUILD / "asan/modplt", BUILD / "bench"
GOOD = module()
# Files that are no modules: name, contents, what modplt says
BAD = [
    ("no .plt", module(plts=[".init.plt"]), "module PLT section(s) missing"),
    ("no .init.plt", module(plts=[".plt"]), "module PLT section(s) missing"),
    ("no PLT", module(plts=[]), "module PLT section(s) missing"),
    ("no PLT and no calls", module(plts=[], symbols=[]), "module PLT section(s) missing"),
    ("no symbol table", build([sec for sec in sections_of() if sec[0] != ".symtab"]),
     "module symtab section missing"),
    ("a symbol beyond the table", module(symbols=[4]), "bad symbol index in .text"),
    ("extended numbering", build(sections_of(), count=0, names=0),
     "more sections than e_shnum holds (extended numbering): not loaded"),
    ("no string table", build(sections_of(), names=0), "no section name string table"),
    ("big-endian", build(sections_of(), ident=b"\x7fELF\2\2\1"),
     "for big-endian arm64: only little-endian is handled"),
    ("big-endian, another machine", build(sections_of(), ident=b"\x7fELF\2\2\1", machine=22),
     "big-endian, and not for arm64"),
    ("another machine", build(sections_of(), machine=62), "not for arm64: e_machine is 62"),
    ("32 bits", build(sections_of(), ident=b"\x7fELF\1\1\1"), "not a 64-bit ELF file"),
    ("a program", build(sections_of(), kind=2), "not relocatable, so not a module: e_type is 2"),
    ("empty", b"", "an empty file"),
    ("text", b"#!/bin/sh\n", "not an ELF file"),
    ("only the begin of a header", GOOD[:63], "ELF header cut off"),
    ("the end is missing", GOOD[:-64], "section headers beyond the end of the file"),
    ("cut xz", lzma.compress(GOOD)[:-20],
     "cannot be decompressed, xz: (stdin): Unexpected end of input"),
    ("cut gzip", gzip.compress(GOOD)[:-20],
     "cannot be decompressed, gzip: stdin: unexpected end of file"),
    ("bzip2", bz2.compress(GOOD), "compressed with bzip2: only xz, zstd and gzip are known"),
    ("lzma", lzma.compress(GOOD, lzma.FORMAT_ALONE),
     "compressed with lzma: only xz, zstd and gzip are known"),
    ("lz4", b"\x04\x22\x4d\x18" + GOOD, "compressed with lz4: only xz, zstd and gzip are known"),
    ("xz, twice", lzma.compress(lzma.compress(GOOD)), "not an ELF file"),
]


class Ktap(unittest.TestResult):
    """Results as KTAP, each as it is known."""

    def startTest(self, test):
        super().startTest(test)
        self.failures.clear()
        self.errors.clear()

    def stopTest(self, test):
        wrong = [text for _, text in self.failures + self.errors]
        self.failed = getattr(self, "failed", False) or bool(wrong)
        reason = "".join(f" # SKIP {reason}" for skipped, reason in self.skipped if skipped is test)
        print("not ok" if wrong else "ok", self.testsRun, test.shortDescription() + reason)
        print("".join(f"# {line}\n" for text in wrong for line in text.splitlines()), end="",
              flush=True)
        super().stopTest(test)


def compressed(*command):
    """A good module, piped through COMMAND."""
    if not shutil.which(command[0]):
        raise unittest.SkipTest(f"no {command[0]} here")
    return subprocess.run(command, input=GOOD, stdout=subprocess.PIPE, check=True).stdout


class Tools(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)

    def file(self, name, data=GOOD):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def run_tool(self, *command, **more):
        """The exit status, and the lines printed to each of the two."""
        done = subprocess.run(command, capture_output=True, check=False, **more)
        return (done.returncode, os.fsdecode(done.stdout).splitlines(),
                os.fsdecode(done.stderr).splitlines())

    def csv(self, data, name="a.ko"):
        path = self.file(name, data)
        return self.run_tool(MODPLT, "--csv", path), f"{path},"

    def test_bad_files(self):
        """modplt says in one line what is wrong with a file"""
        for name, data, says in BAD:
            with self.subTest(name):
                path = self.file("bad.ko", data)
                for option in ("--csv", "--check"):
                    self.assertEqual(self.run_tool(MODPLT, option, path),
                                     (1, [], [f"modplt: {path}: {says}"]))

    def test_kernels(self):
        """modplt plans for branches without KASLR too, unless no module can be far"""
        path = self.file("a.ko")
        for option, entries in (("--no-kaslr", 2), ("--near", 0)):
            self.assertEqual(self.run_tool(MODPLT, "--csv", option, path),
                             (0, [f"{path},3,3,{entries},0"], []))

    def test_no_decompressor(self):
        """modplt says that a decompressor is missing"""
        path = self.file("a.ko.xz", lzma.compress(GOOD))
        says = "cannot be decompressed, xz: cannot be run: No such file or directory"
        self.assertEqual(self.run_tool(MODPLT, path, env={"PATH": "/nowhere"}),
                         (1, [], [f"modplt: {path}: {says}"]))

    def test_compressed(self):
        """modplt takes what kernel or kmod unpack, by contents"""
        for data in (lzma.compress(GOOD), lzma.compress(GOOD) + b"trailing", gzip.compress(GOOD),
                     gzip.compress(GOOD) + b"trailing", gzip.compress(GOOD) + bytes(4)):
            result, start = self.csv(data)
            self.assertEqual(result, (0, [f"{start}3,3,2,0"], []))

    def test_zstd(self):
        """modplt takes zstd's windows of any size, and knows a cut file"""
        for option in ("-19", "--long=28", "--long=31"):
            data = compressed("zstd", "-q", option)
            for more in (b"", b"trailing"):
                result, start = self.csv(data + more)
                self.assertEqual(result, (0, [f"{start}3,3,2,0"], []))
            (status, out, err), _ = self.csv(data[:-20])
            self.assertEqual((status, out), (1, []))
            self.assertRegex("\n".join(err), r"^modplt: [^\n]*: cannot be decompressed, zstd: .*"
                             r"premature end$")

    def test_rela_part(self):
        """a RELA that is cut off is not counted, the others are"""
        for cut in (1, 23):
            result, start = self.csv(module(symbols=(1, 2, 3), cut=cut))
            self.assertEqual(result, (0, [f"{start}2,2,2,0"], []))

    def test_names(self):
        """a name takes one line, whatever is in it"""
        result, start = self.csv(GOOD, "a\n\\\x7f\udcff,b.ko")
        self.assertEqual(result, (0, [start.replace("\\", r"\134").replace("\n", r"\012")
                                      .replace("\x7f", r"\177") + "3,3,2,0"], []))

    def test_not_checked(self):
        """modplt and corpus.py say what was not checked"""
        self.file("good.ko")
        large = self.file("large.ko", build([*sections_of(),
                                             (".bss", NOBITS, ALLOC, 1 << 31, 0)]))
        code = self.file("code.ko", build([*sections_of(),
                                           (".text.2", NOBITS, ALLOC | EXEC, 1 << 27, 0)]))
        place = self.file("place.ko", module(step=0))
        (status, out, err) = self.run_tool(MODPLT, "--check", place)
        self.assertEqual((status, err), (0, []))
        self.assertRegex(out[0], ",ok, not checked: which RELA counts: two change one place$")
        place.unlink()
        verdicts = ["ok, not checked: emission: larger than any layout",
                    "ok, not checked: emission: code out of a branch's reach of its PLT"]
        for path, verdict in zip((large, code), verdicts):
            self.assertEqual(self.run_tool(MODPLT, "--check", path),
                             (0, [f"{path},3,3,3,0,2,0,0,0,{verdict}"], []))
        status, out, err = self.run_tool(HERE / "corpus.py", self.folder, "--modplt", MODPLT)
        self.assertEqual((status, err), (0, []))
        self.assertEqual(out[:2], [f"{code}: {verdicts[1]}", f"{large}: {verdicts[0]}"])
        self.assertIn("           2 modules with emission not tried, in some configuration or in "
                      "any", out)
        self.assertRegex("\n".join(out), r"\n +[1-9]\d* entries emitted and followed\n")
        self.assertEqual(out[-1], "3 passed, 0 failed, 0 skipped")

    def test_corpus(self):
        """corpus.py finds what depmod finds, and names what cannot be read"""
        real = self.file("store/net/linked.ko").parent
        root = self.file("root/kernel/a.ko").parent.parent
        for name in ("extra/n\nl.ko", "extra/\udcff.ko", "extra/a,1,b.ko", ".hidden/b.ko"):
            self.file(f"root/{name}")
        for name in ("build/no.ko", "kernel/source/no.ko"):
            self.file(f"root/{name}")
        self.file("root/extra/bad.ko", b"no")
        for name, target in (("kernel/net", real), ("loop", "."), ("gone.ko", "/nowhere"),
                             ("kernel/gone", "nowhere"), ("self.ko", "self.ko"),
                             ("one.ko", real / "linked.ko"), ("dev.ko", "/dev/null")):
            (root / name).symlink_to(target)
        status, out, err = self.run_tool(HERE / "corpus.py", root, "--modplt", MODPLT)
        self.assertEqual((status, err), (0, []))
        gone = "No such file or directory"
        self.assertEqual(out[:5], [f"{root}/dev.ko: not a regular file", f"{root}/gone.ko: {gone}",
                                   f"{root}/kernel/gone: {gone}",
                                   f"{root}/self.ko: Too many levels of symbolic links",
                                   f"{root}/extra/bad.ko: not an ELF file"])
        self.assertIn("          21 exec RELAs", out)
        self.assertIn("           4 files and folders that cannot be read", out)
        self.assertEqual(out[-1], "7 passed, 0 failed, 5 skipped")

    def test_bench(self):
        """bench names what is not planned or unsafe for base, and leaves it out"""
        if not BENCH.exists() or not (BUILD / "base_tree").read_text().strip():
            self.skipTest("no BASE_TREE")
        good = self.file("good.ko")
        sections = sections_of()
        beyond = [*sections, (".rela.beyond", 4, 0, bytes(24), 99)]
        bad = [(self.file("plt.ko", module(plts=[])), "module PLT section(s) missing"),
               (self.file("symbol.ko", module(symbols=[1 << 27])), "bad symbol index in .text"),
               (self.file("target.ko", build(beyond)),
                "section 7 has RELAs for a section beyond the last"),
               (self.file("bad.ko", b"no"), "not an ELF file")]
        status, out, err = self.run_tool(BENCH, "--rounds", "1", good, *[path for path, _ in bad])
        self.assertEqual((status, err), (1, [f"bench: {path}: {why}" for path, why in bad]))
        self.assertEqual((out[0], len(out)), ("1 modules, 4 left out, 1 rounds", 8))
        status, out, err = self.run_tool(BENCH, "--rounds", "1", good)
        self.assertEqual((status, out[0], err), (0, "1 modules, 0 left out, 1 rounds", []))


if __name__ == "__main__":
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(Tools)
    print(f"KTAP version 1\n1..{tests.countTestCases()}")
    sys.exit(tests.run(Ktap()).failed)
