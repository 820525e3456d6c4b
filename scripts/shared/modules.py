# SPDX-License-Identifier: GPL-2.0-only
"""The kernel and the modules that scripts/report boots: what to load, in which order, and
the same without signatures."""
import gzip
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

from shared.common import BUILD, HARNESS, SUITES, digest, fail, fresh, made, run, say, script

sys.path.append(str(HARNESS))
from corpus import find_modules, printable  # noqa: E402  pylint: disable=wrong-import-position

# BASE: Debian's packages of the stock kernel
STOCK = {
    "6.1": [r"linux-image-6\.1\.0-[0-9]+-arm64"],
    "6.12": [r"linux-image-6\.12\.[^-]*-arm64"],
    "mainline": [r"linux-binary-[0-9][^-]*-arm64", r"linux-modules-[0-9][^-]*-arm64"],
}
MAGIC = b"~Module signature appended~\n"
# suffix: (read, write quickly); for the kernel's decompressor the level makes little difference
PACKED = {".gz": (gzip.decompress, lambda data: gzip.compress(data, 1)),
          ".xz": (lzma.decompress,
                  lambda data: lzma.compress(data, check=lzma.CHECK_CRC32, preset=0)),
          ".zst": (lambda data: zstd(data, "-dc", "--long=31"), lambda data: zstd(data, "-1c"))}


def zstd(data, *options):
    return subprocess.run(["zstd", "-q", *options], input=data, capture_output=True,
                          check=True).stdout


def stock(base):
    """Debian's kernel of BASE: its Image and its modules folder."""
    if base not in STOCK:
        fail(f"{base}: no kernel of Debian's, which are {', '.join(STOCK)}")
    words = [word for suite in SUITES[base] for word in ("--suite", suite)]
    debs = [pathlib.Path(script("fetch", *words, "--arch", "arm64", package))
            for package in STOCK[base]]
    tree = BUILD / "report" / f"stock-{base}"
    stamp = " ".join(deb.name for deb in debs)
    if not fresh(tree, stamp):
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir(parents=True)
        for deb in debs:
            run(f"unpack {deb.stem}", ["dpkg-deb", "-x", deb, tree], "unpack-kernel")
        made(tree, stamp)
    images = [*tree.glob("boot/vmlinuz-*"), *tree.glob("usr/lib/modules/*/vmlinuz")]
    modules = [*tree.glob("lib/modules/*/kernel"), *tree.glob("usr/lib/modules/*/kernel")]
    if not images or not modules:
        fail(f"{stamp}: no kernel, or no modules, in there")
    return images[0], modules[0].parent


def name_of(path):
    """The module's name, as the kernel calls it."""
    return pathlib.PurePath(path).name.split(".", 1)[0].replace("-", "_")


class Unreadable(Exception):
    """Why a module's file cannot be read."""


def unpacked(path):
    """What is in a module's file, not compressed."""
    suffix = pathlib.PurePath(path).suffix
    try:
        data = pathlib.Path(path).read_bytes()
        return PACKED[suffix][0](data) if suffix in PACKED else data
    except OSError as wrong:        # of gzip too
        raise Unreadable(wrong.strerror or str(wrong)) from None
    except subprocess.CalledProcessError as wrong:
        said = wrong.stderr.decode(errors="replace").strip() or wrong
        raise Unreadable(f"cannot be decompressed: {said}") from None
    except (EOFError, lzma.LZMAError, zlib.error) as wrong:
        raise Unreadable(f"cannot be decompressed: {wrong}") from None


class Modules:
    """A modules folder: dependencies as depmod finds them, loads as modprobe would do them.
    Modules without a signature can be without BTF as well."""

    def __init__(self, folder, btf=True):
        self.folder, self.btf = folder, btf
        self.paths, self.depends, self.soft, self.alias = {}, {}, {}, {}
        found, left_out = find_modules(folder)
        self.release, unreadable = self.find_release(found)
        left_out += unreadable
        self.read_depmod(found)
        # Two may have one name: then depmod has chosen
        left_out += [(path, "depmod cannot describe it") for path in found
                     if name_of(os.fsdecode(path)) not in self.paths]
        for path, why in left_out:
            say(f"{printable(path)}: {why}")
        if left_out:
            say(f"{folder}: {len(left_out)} files or folders are left out")

    def find_release(self, found):
        """The kernel release that modules are for, and [(path, why)] of those that do not say,
        up to one that does."""
        unreadable = []
        for path in found:
            try:
                told = re.search(rb"\0vermagic=([^ \0]+)", unpacked(os.fsdecode(path)))
            except Unreadable as wrong:
                unreadable.append((path, str(wrong)))
                continue
            if told:
                return told.group(1).decode(errors="replace"), unreadable
            unreadable.append((path, "no module, it has no vermagic"))
        for path, why in unreadable:
            say(f"{printable(path)}: {why}")
        return fail(f"{self.folder}: no kernel modules there")

    def read_depmod(self, found):
        """Run depmod, which writes nothing beside the modules, once for these files."""
        kept = BUILD / "report" / self.release / "depmod"
        stamp = digest(os.path.abspath(self.folder),
                       [(path, os.stat(path).st_mtime_ns) for path in found])
        if not fresh(kept, stamp):
            kept.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory() as root, open(kept, "wb") as out:
                link = pathlib.Path(root) / "lib/modules" / self.release
                link.parent.mkdir(parents=True)
                link.symlink_to(self.folder.resolve())
                depmod = subprocess.run(["depmod", "-n", "-b", root, self.release], stdout=out,
                                        stderr=subprocess.PIPE, check=False)
            if depmod.returncode:
                fail(f"{self.folder}: {os.fsdecode(depmod.stderr).strip().splitlines()[0]}")
            made(kept, stamp)
        for line in os.fsdecode(kept.read_bytes()).split("\n"):
            words = line.split()
            if line.startswith("softdep ") and "pre:" in words:
                after = words[words.index("pre:") + 1:]
                after = after[:after.index("post:")] if "post:" in after else after
                self.soft.setdefault(words[1], []).extend(after)
            elif line.startswith("alias "):
                self.alias.setdefault(words[1], []).append(words[2])
            elif (dependency := re.match(r"(\S.*?\.ko(?:\.\w+)?):(.*)", line)):
                path = self.folder / dependency[1]
                if not path.is_file():      # the rest of a name that has more than one line
                    continue
                self.paths[name_of(path)] = path
                self.depends[name_of(path)] = [name_of(word) for word in dependency[2].split()]

    def order(self, names):
        """All that loading NAMES loads, in order: what a module needs comes before it."""
        done = {}
        for name in names:
            if name.replace("-", "_") not in self.depends:
                fail(f"{self.folder}: no module {name}")
            self.add(name.replace("-", "_"), done)
        return list(done)

    def add(self, name, done, above=()):
        if name in done or name in above or name not in self.depends:
            return
        for soft in self.soft.get(name, []):
            for other in self.alias.get(soft, [soft.replace("-", "_")]):
                self.add(other, done, (*above, name))
        for other in reversed(self.depends[name]):
            self.add(other, done, (*above, name))
        done[name] = True

    def content(self, name):
        """The module, not compressed."""
        try:
            return unpacked(self.paths[name])
        except Unreadable as wrong:
            return fail(f"{self.paths[name]}: {wrong}")

    def files(self, names, target, packed, signed):
        """{name: path} of the modules to load, made in TARGET if they differ from ours: those
        that the kernel cannot decompress, as it can files named *PACKED, or not SIGNED."""
        target.mkdir(parents=True, exist_ok=True)
        made_of = {}
        for name in names:
            path = self.paths[name]
            if signed and path.suffix in (".ko", packed):
                made_of[name] = path
                continue
            data = self.content(name)
            if not signed:
                data = strip(data) if self.btf else without_btf(strip(data))
            keep = path.suffix == packed
            made_of[name] = target / (path.name if keep else path.name.split(".ko")[0] + ".ko")
            made_of[name].write_bytes(PACKED[path.suffix][1](data) if keep else data)
        return made_of


def without_btf(data):
    """A module whose .BTF the kernel does not find: the section has another name."""
    shoff, shstrndx = struct.unpack_from("<Q", data, 0x28)[0], struct.unpack_from("<H", data, 62)[0]
    start, size = struct.unpack_from("<QQ", data, shoff + 64 * shstrndx + 24)
    names = data[start:start + size].replace(b"\0.BTF\0", b"\0.btf\0")
    return data[:start] + names + data[start + size:]


def strip(data):
    """A module without the signature that is appended to it."""
    if not data.endswith(MAGIC):
        return data
    # struct module_signature ends with the signature's length, big endian
    length = struct.unpack(">I", data[-len(MAGIC) - 4:-len(MAGIC)])[0]
    return data[:-len(MAGIC) - 12 - length]
