# SPDX-License-Identifier: GPL-2.0-only
"""The series generator, on small stand-ins of a kernel tree made from a real one."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from loader import SCRIPTS

# what the steps touch, and what makes a folder a kernel tree
NEEDED = ["Makefile", "Kbuild", "MAINTAINERS", "arch/arm64/kernel/module.c",
          "arch/arm64/kernel/module-plts.c", "arch/arm64/kernel/ftrace.c",
          "arch/arm64/kernel/Makefile", "arch/arm64/Kconfig", "arch/arm64/Kconfig.debug",
          "Documentation/arch/arm64/index.rst", "kernel/module", "kernel/trace/ftrace.c",
          "kernel/trace/trace_events.c", "scripts/get_maintainer.pl",
          "tools/testing/selftests/Makefile"]


def run(*command, **more):
    return subprocess.run([str(word) for word in command], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


class Series(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shown = run(SCRIPTS / "base", "6.12")
        cls.version, path = shown.stdout.strip().split(" ", 1)
        cls.pristine = pathlib.Path(path)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="series test "))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def tree(self, name):
        """A small tree, in a folder with a space in its name, of a version of its own."""
        tree = self.folder / name
        for path in NEEDED:
            source, target = self.pristine / path, tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)
        makefile = tree / "Makefile"
        makefile.write_text(makefile.read_text().replace("EXTRAVERSION =",
                                                         f"EXTRAVERSION = -{name}"))
        return tree

    def state(self, tree):
        return {path: path.stat().st_mtime_ns for path in tree.rglob("*")}

    def generate(self, tree):
        done = run(SCRIPTS / "series", tree)
        build = SCRIPTS.parent / "build"
        version = f"{self.version}-{tree.name}"
        self.addCleanup(shutil.rmtree, build / "src" / f"{version}.git", ignore_errors=True)
        for kind in ("tree", "series"):
            made = build / kind / version
            self.addCleanup(shutil.rmtree, made, ignore_errors=True)
            self.addCleanup(made.with_name(made.name + ".stamp").unlink, missing_ok=True)
        return done, build / "tree" / version

    def test_tree_without_git_is_left_alone_and_patches_apply(self):
        tree = self.tree("plain")
        before = self.state(tree)
        done, _ = self.generate(tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.state(tree), before)

        patches = [name for name in done.stdout.splitlines() if "0000-cover-letter" not in name]
        self.assertTrue(all(pathlib.Path(patch).is_file() for patch in patches))
        run("git", "init", "-q", cwd=tree)
        run("git", "add", "-A", cwd=tree)
        who = {**os.environ, **{f"GIT_{role}_{key}": "x@localhost" for role in
                                ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}}
        run("git", "commit", "-qm", "x", cwd=tree, env=who)
        applied = run("git", "am", *patches, cwd=tree, env=who)
        self.assertEqual(applied.returncode, 0, applied.stderr)
        ours = SCRIPTS.parent / "arch/arm64/kernel/module-plts.c"
        self.assertEqual((tree / "arch/arm64/kernel/module-plts.c").read_bytes(),
                         ours.read_bytes())

    def test_tree_without_git_is_looked_at_again(self):
        tree = self.tree("again")
        done, clone = self.generate(tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        (tree / "Kbuild").write_text("# another\n")
        done, clone = self.generate(tree)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("git", "show", "plts-series:Kbuild", cwd=clone).stdout, "# another\n")

    def test_changed_base_fails_and_says_where(self):
        tree = self.tree("odd")
        plts = tree / "arch/arm64/kernel/module-plts.c"
        plts.write_text(plts.read_text().replace("sh_type != SHT_RELA", "sh_type == 1"))
        done, _ = self.generate(tree)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr.splitlines()[-1], r"01-.*change\.diff:\d+: .*module-plts\.c")

    def test_uncommitted_changes_are_refused(self):
        tree = self.tree("dirty")
        run("git", "init", "-q", cwd=tree)
        run("git", "add", "Makefile", cwd=tree)
        run("git", "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", "x",
            cwd=tree)
        (tree / "Makefile").write_text((tree / "Makefile").read_text() + "\n# more\n")
        done, _ = self.generate(tree)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("commit or stash", done.stderr)

    def test_no_kernel_tree(self):
        done = run(SCRIPTS / "series", self.folder / "nothing")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nor a kernel tree", done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
