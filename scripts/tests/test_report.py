# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/report makes of traces and of module folders."""
import lzma
import pathlib
import shutil
import struct
import sys
import tempfile
import unittest
import unittest.mock

# pylint: disable=wrong-import-position
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import reporting.check  # noqa: E402
import reporting.measure  # noqa: E402
import reporting.page  # noqa: E402
import reporting.trace  # noqa: E402
import shared.modules  # noqa: E402
sys.path.append(str(shared.modules.HARNESS))
import make_module  # noqa: E402

TRACE = """# tracer: function_graph
    1.000000 |                |  /* sched_switch: prev_comm=sh prev_pid=7 prev_prio=120 """ \
    """prev_state=S ==> next_comm=report next_pid=9 next_prio=120 */
    1.000100 |                |  __arm64_sys_finit_module() {
    1.000100 |  + 50.000 us   |    kernel_read_file();
    1.000150 |                |    load_module() {
    1.000150 |                |      module_sig_check() {
    1.000150 |                |        verify_pkcs7_signature() {
    1.000160 |  + 90.000 us   |          pkcs7_digest();
    1.000260 |  ! 110.000 us  |        } /* verify_pkcs7_signature */
    1.000360 |  ! 210.000 us  |      } /* module_sig_check */
    1.000370 |  + 30.000 us   |      module_frob_arch_sections();
    1.000410 |    0.000 us    |      init_param_lock();
    1.000460 |  + 20.000 us   |      apply_relocate_add();
    1.000480 |    0.000 us    |      strndup_user();
    1.000490 |    0.000 us    |      mutex_lock();
    1.000520 |    0.000 us    |      mutex_lock();
    1.000560 |    5.000 us    |      module_enable_ro();
    1.000565 |                |      do_init_module() {
    1.000565 |                |        do_one_initcall() {
    1.000570 |    1.000 us    |          mutex_lock();
    1.000580 |                |          /* sched_switch: prev_comm=report prev_pid=9 """ \
    """prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120 */
 ------------------------------------------
 0)   report-9     =>   <idle>-0
 ------------------------------------------

    1.000680 |                |          /* sched_switch: prev_comm=swapper/0 prev_pid=0 """ \
    """prev_prio=120 prev_state=R ==> next_comm=report next_pid=9 next_prio=120 */
    1.000700 |  ! 135.000 us  |        } /* do_one_initcall */
    1.000700 |  ! 135.000 us  |      } /* do_init_module */
    1.000700 |  ! 550.000 us  |    } /* load_module */
    1.000700 |  ! 600.000 us  |  } /* __arm64_sys_finit_module */
"""


def call(cpu, rounds=(0,), errno=0, says=()):
    """A load that takes CPU ns, in the middle of its rounds, see middle() of reporting.measure."""
    return {"wall": cpu, "cpu": cpu, "errno": errno, "says": list(says),
            "rounds": [{"wall": cpu + more, "cpu": cpu + more} for more in rounds]}


def result(plan, relocate):
    """What could have been measured: two modules; each phase but the two takes 100."""
    made = reporting.measure.Result("6.1", "nokaslr")
    made.traced = True
    made.first = 1000
    for name in ("amdgpu", "xfs"):
        phases = dict.fromkeys(reporting.trace.PHASES, 100) | {"other": 0, "plan": plan,
                                                            "relocate": relocate}
        whole = sum(phases.values())
        made.loads.append({"name": name, "phases": phases, "tracing": 0, "timed": call(whole),
                           "traced": call(whole), "bare": call(whole, (0, 5))})
    return made


NOTIFIERS = """\
    1.000000 |                |  __arm64_sys_finit_module() {
    1.000000 |                |    blocking_notifier_call_chain_robust() {
    1.000010 |    1.000 us    |      mutex_lock();
    1.000012 |    1.000 us    |      mutex_unlock();
    1.000014 |    1.000 us    |      down_write();
    1.000024 |    1.000 us    |      up_write();
    1.000030 |    1.000 us    |      mutex_lock();
    1.000032 |    1.000 us    |      down_write();
    1.000050 |                |      /* sched_switch: prev_comm=report prev_pid=9 """ \
    """prev_prio=120 prev_state=R ==> next_comm=swapper/0 next_pid=0 next_prio=120 */
    1.000060 |                |      /* sched_switch: prev_comm=swapper/0 prev_pid=0 """ \
    """prev_prio=120 prev_state=R ==> next_comm=report next_pid=9 next_prio=120 */
    1.000143 |    1.000 us    |      up_write();
    1.000150 |  ! 150.000 us  |    } /* blocking_notifier_call_chain_robust */
    1.000150 |  ! 150.000 us  |  } /* __arm64_sys_finit_module */
"""


class Traces(unittest.TestCase):
    def test_enums_are_between_their_locks(self):
        phases = reporting.trace.parse(NOTIFIERS)[0].phases
        self.assertEqual((phases["enums"], phases["notifiers"]), (100000, 40000))

    def test_every_nanosecond_has_a_phase(self):
        loads = reporting.trace.parse(TRACE)
        self.assertEqual(len(loads), 1)
        self.assertEqual(sum(loads[0].phases.values()), 600_000)
        seen = {phase: spent / 1000 for phase, spent in loads[0].phases.items() if spent}
        self.assertEqual(seen, {
            "read": 50, "digest": 90, "key": 20, "revoked": 100, "check": 10, "plan": 30,
            "memory": 15, "symbols": 50, "relocate": 20, "ftsort": 10, "ftrace": 30,
            "exports": 40, "init": 35, "wait": 100})

    def test_a_load_that_does_not_end_is_not_counted(self):
        self.assertEqual(reporting.trace.parse(TRACE[:TRACE.index("  ! 550")]), [])

    def test_what_cannot_be_traced_is_named(self):
        options, missing = reporting.trace.untraced("report: lacks CONFIG_FUNCTION_GRAPH_TRACER\n")
        self.assertEqual((options, missing), (["CONFIG_FUNCTION_GRAPH_TRACER"], {}))
        options, missing = reporting.trace.untraced("".join(
            f"report: traces {name}\n" for name in reporting.trace.FUNCTIONS
            if name != "btf_module_notify"))
        self.assertEqual((options, missing), ([], {"btf": "btf_module_notify"}))

    def test_each_phase_is_in_one_group(self):
        self.assertEqual(sorted(sum(reporting.trace.GROUPS.values(), [])),
                         sorted(reporting.trace.PHASES))


class Folders(unittest.TestCase):
    def test_a_signature_is_removed(self):
        body = b"\x7fELF" + bytes(100)
        signed = body + b"s" * 57 + bytes(8) + struct.pack(">I", 57) + shared.modules.MAGIC
        self.assertEqual(shared.modules.strip(signed), body)
        self.assertEqual(shared.modules.strip(body), body)

    def test_btf_is_hidden_by_its_name_alone(self):
        names = b"\0.text\0.BTF\0.BTF_ids\0"
        data = bytearray(64 + 2 * 64)
        struct.pack_into("<Q", data, 0x28, 64)                              # e_shoff
        struct.pack_into("<H", data, 62, 1)                                 # e_shstrndx
        struct.pack_into("<QQ", data, 64 + 64 + 24, len(data), len(names))  # of section 1
        hidden = shared.modules.without_btf(bytes(data) + names + b"\0.BTF\0")
        self.assertEqual(hidden, bytes(data) + b"\0.text\0.btf\0.BTF_ids\0" + b"\0.BTF\0")

    def folder(self):
        """A folder of modules with all that may be found in one."""
        root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        modules = root / "modules"
        for name in ("kernel/a-b.ko", "kernel/twice.ko", "updates/twice.ko", "build/no.ko",
                     "extra/n\nl.ko", "extra/\udcff.ko"):
            (modules / name).parent.mkdir(parents=True, exist_ok=True)
            (modules / name).write_bytes(make_module.module())
        (root / "store").mkdir()
        (root / "store/linked.ko.xz").write_bytes(lzma.compress(make_module.module()))
        (modules / "extra/bad.ko.xz").write_bytes(lzma.compress(make_module.module())[:-20])
        (modules / "kernel/net").symlink_to(root / "store")
        (modules / "kernel/gone").symlink_to("/nowhere")
        return modules

    @unittest.skipUnless(shutil.which("depmod"), "no depmod on this machine")
    def test_what_depmod_finds_is_found_and_the_rest_is_named(self):
        folder, said = self.folder(), []
        with (unittest.mock.patch("shared.modules.say", said.append),
              unittest.mock.patch("shared.modules.BUILD", folder.parent)):
            modules = shared.modules.Modules(folder)
        self.assertEqual(modules.release, "6.12.0")
        self.assertEqual(modules.paths, {
            "a_b": folder / "kernel/a-b.ko", "twice": folder / "updates/twice.ko",
            "linked": folder / "kernel/net/linked.ko.xz", "\udcff": folder / "extra/\udcff.ko",
            "bad": folder / "extra/bad.ko.xz"})
        self.assertEqual(modules.content("linked"), make_module.module())
        self.assertEqual(said[:-1], [
            f"{folder}/kernel/gone: No such file or directory",
            f"{folder}/extra/bad.ko.xz: cannot be decompressed: Compressed data ended before the "
            "end-of-stream marker was reached",
            f"{folder}/extra/n\\012l.ko: depmod cannot describe it"])
        self.assertEqual(said[-1], f"{folder}: 3 files or folders are left out")
        with self.assertRaisesRegex(SystemExit, "bad.ko.xz: cannot be decompressed: "):
            modules.content("bad")

    def test_no_module_is_said(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "bad.ko").write_bytes(b"no")
        said = []
        with (unittest.mock.patch("shared.modules.say", said.append),
              self.assertRaisesRegex(SystemExit, f"{folder}: no kernel modules there")):
            shared.modules.Modules(folder)
        self.assertEqual(said, [f"{folder}/bad.ko: no module, it has no vermagic"])

    def test_order_is_that_of_modprobe(self):
        modules = shared.modules.Modules.__new__(shared.modules.Modules)
        # modules.dep has what is needed last at the front
        modules.depends = {"a": ["b", "c"], "b": ["c"], "c": [], "d": [], "e_soft": []}
        modules.soft = {"b": ["hash", "e-soft"]}
        modules.alias = {"hash": ["d"]}
        modules.folder = pathlib.Path("folder")
        self.assertEqual(modules.order(["a"]), ["c", "d", "e_soft", "b", "a"])
        with self.assertRaisesRegex(SystemExit, "folder: no module x"):
            modules.order(["x"])


@unittest.skipUnless(shutil.which("chromium"), "no chromium on this machine")
class Page(unittest.TestCase):
    """The page, opened in headless Chromium."""

    def verdict(self, text, width):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "report.html"
            file.write_text(text)
            return reporting.check.rendered(file, width)

    def test_it_renders(self):
        page = reporting.page.page(result(10000, 4000))
        for width in reporting.check.WIDTHS:
            self.assertRegex(self.verdict(page, width), r"^bars [1-9][0-9]+$")

    def test_what_does_not_fit_is_seen(self):
        page = reporting.page.page(result(10000, 4000))
        wide = page.replace("</main>", '<div style="width:2000px">wide</div></main>')
        self.assertIn("wider than the window", self.verdict(wide, reporting.check.WIDTHS[0]))


if __name__ == "__main__":
    unittest.main()
