# SPDX-License-Identifier: GPL-2.0-only
"""Boots of one kernel that loads modules in QEMU, and what is measured in them."""
import concurrent.futures
import re
import statistics
import subprocess

import reporting.trace
import shared.modules
from shared import boot
from shared.common import BUILD, CROSS, SCRIPTS, digest, fail, fresh, made, output

DEFAULT = ("amdgpu nouveau btrfs xfs cifs ocfs2 mlx5_core lpfc qla2xxx bluetooth mac80211 msm "
           "bnx2x ice f2fs nfsv4 nfsd ceph ath11k_pci ext4").split()
GUEST = SCRIPTS / "guest/report.c"
# What a Result depends on, but for the kernel and its modules
DEPENDS = [*boot.DEPENDS, GUEST, *[SCRIPTS / name for name in (
    "reporting/measure.py", "reporting/trace.py", "shared/modules.py")]]


def guest_program():
    """guest/report.c for the guest."""
    program = BUILD / "report" / "guest"
    program.parent.mkdir(parents=True, exist_ok=True)
    stamp = digest(GUEST)
    if not fresh(program, stamp):
        output(f"{CROSS}gcc", "-O2", "-Wall", "-static", "-o", program, GUEST)
        made(program, stamp)
    return program


# Tells where modules are
WHERE = r"""
sed -n '1s/.* 0x\([0-9a-f]*\).*/report: module \1/p' /proc/modules
sed -n 's/^\([0-9a-f]*\) . _stext$/report: kernel \1/p' /proc/kallsyms"""


class Guest:
    """Boots of the kernel IMAGE; their logs go by its LABEL. A boot is made again with another
    seed until modules have the PLACEMENT that is wanted: "near", "far" or None, either."""

    def __init__(self, image, label, cmdline, memory=2048, wanted=None):
        self.image, self.label, self.memory, self.wanted = image, label, memory, wanted
        # The report's program is the first process, to tell when there is one. And a stock
        # system boots quietly: what goes to a serial console takes longer than a load.
        self.cmdline = f"rdinit=/report quiet {cmdline}".strip()

    def log(self, name):
        return f"report-{self.label}-{name}"

    def boot(self, name, commands, files=(), seed=1):
        """Console text of a boot that runs COMMANDS with the modules FILES."""
        for other in range(seed, seed + 16):
            text = self.boot_once(name, commands + WHERE, files, other)
            if not files or self.wanted in (None, placement(text)):
                return text
        return fail(f"{self.label}: no seed of KASLR places modules {self.wanted}")

    def boot_once(self, name, commands, files, seed):
        """The same with one SEED. Boots that have been made are not made again: guest time is
        instructions, so it would be the same."""
        words = [f"/report={guest_program()}", *(f"/modules/{file.name}={file}" for file in files)]
        log = self.log(name)
        kept = BUILD / "report" / "boots" / log
        kept.parent.mkdir(parents=True, exist_ok=True)
        stamp = digest(self.image, self.memory, self.cmdline, seed, commands, guest_program(),
                       *files, *boot.DEPENDS)
        if fresh(kept, stamp):
            return kept.read_text()
        done = subprocess.run(
            [SCRIPTS / "qemu", self.image, "--memory", f"{self.memory}M", "--append", self.cmdline,
             "--seed", str(seed), "--timeout", "900", "--log", log,
             *(part for word in words for part in ("--file", word)), commands],
            stdout=subprocess.PIPE, text=True, errors="replace", check=False)
        text = done.stdout.replace("\r", "")
        if "report: first " not in text:
            fail(f"{self.image}: the kernel does not get to its first process, see "
                 f"build/log/{log}")
        if "guest: exit status 0" not in text:
            fail(f"{self.label}: the boot '{name}' ends early, see build/log/{log}")
        kept.write_text(text)
        made(kept, stamp)
        return text


class Result:
    """All that was measured."""

    def __init__(self, release, cmdline):
        self.release, self.cmdline = release, cmdline
        self.first = 0          # ns from the kernel's entry to the first process
        self.loads = []         # of dict: name, size, timed, traced, bare, phases
        self.traced = False
        self.cost = 0           # ns that tracing adds to a traced call, taken off the phases
        self.notes = []

    def total(self, key, field="wall"):
        return sum(load[key][field] for load in self.loads)

    def phases(self):
        return {phase: sum(load["phases"][phase] for load in self.loads)
                for phase in reporting.trace.PHASES}

    def groups(self, load=None):
        """{group: ns} of a load, or of all."""
        phases = load["phases"] if load else self.phases()
        return {group: sum(phases[phase] for phase in members)
                for group, members in reporting.trace.GROUPS.items()}


def load_commands(files):
    """The guest's shell commands that load FILES."""
    # By then the kernel has ended what it began at boot, as it has when it is traced
    return "sleep 2\ncd /modules\n/report " + " ".join(path.name for path in files)


def placement(text):
    """Are modules "near" the kernel, or too "far" for branches?"""
    where = {what: int(address, 16) for what, address
             in re.findall(r"^report: (module|kernel) ([0-9a-f]+)$", text, re.M)}
    if len(where) < 2:
        return None
    return "near" if abs(where["module"] - where["kernel"]) < boot.REACH else "far"


def timed(text, names):
    """{module: {wall, cpu, errno, says}} from a console's text."""
    found = {}
    for name, wall, cpu, error in re.findall(r"^report: load (\S+) (\d+) (\d+) (\d+)$", text, re.M):
        found[shared.modules.name_of(name)] = {
            "wall": int(wall), "cpu": int(cpu), "errno": int(error),
            "says": re.findall(rf"^report: says {re.escape(name)} (.*)$", text, re.M)}
    lost = [name for name in names if name not in found]
    if lost:
        fail(f"the guest did not get to module {lost[0]}")
    return found


def middle(rounds):
    """The median of a load's rounds, each as timed() gives it, which are its "rounds"."""
    return rounds[0] | {"wall": round(statistics.median(one["wall"] for one in rounds)),
                        "cpu": round(statistics.median(one["cpu"] for one in rounds)),
                        "rounds": rounds}


def phases_of(guest, names, traced, untraced):
    """({module: its load, traced}, cost of a traced call) from the texts of two boots;
    ({}, 0) if the kernel cannot trace."""
    traces = reporting.trace.parse(traced)
    if not reporting.trace.untraced(traced)[0] and len(traces) != len(names):
        fail(f"{len(traces)} of {len(names)} loads left a trace, see "
             f"build/log/{guest.log('traced')}*")
    if not traces:
        return {}, 0
    calls = [int(re.search(r"^report: call (\d+)", text, re.M).group(1))
             for text in (traced, untraced)]
    cost = max(0, calls[0] - calls[1])
    reporting.trace.correct(traces, cost)
    return dict(zip(names, traces)), cost


def boots(guest, modules, orders):
    """({module: size}, {(kind, seed): console text}): one boot without modules, "empty", and
    for each seed one "traced", one "timed", one timed without signatures, "bare"."""
    empty = guest.boot("empty", "cat /sys/module/compression 2>/dev/null; true")
    packed = {"gzip": ".gz", "xz": ".xz", "zstd": ".zst"}.get(method(empty))
    folder = BUILD / "report" / modules.release
    names = next(iter(orders.values()))
    signed = modules.files(names, folder / "signed", packed, True)
    files = {"traced": signed, "timed": signed,
             "bare": modules.files(names, folder / "bare", packed, False)}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = {}
        for seed, order in orders.items():
            for kind, paths in files.items():
                loads = [paths[name] for name in order]
                commands = reporting.trace.commands([path.name for path in loads]) \
                    if kind == "traced" else load_commands(loads)
                jobs[kind, seed] = pool.submit(guest.boot, f"{kind}-{seed}", commands, loads, seed)
        texts = {key: job.result() for key, job in jobs.items()}
    sizes = {name: path.stat().st_size for name, path in signed.items()}
    return sizes, {("empty", None): empty, **texts}


def method(empty):
    """How the kernel can decompress modules, or None."""
    found = re.search(r"^(gzip|xz|zstd)$", empty, re.M)
    return found and found[1]


def measure(guest, modules, orders):
    """Boot, load and trace; the Result. ORDERS are rounds, {seed of KASLR: modules in the
    order in which they are loaded}: the same modules in each. Medians are taken."""
    sizes, texts = boots(guest, modules, orders)
    result = Result(modules.release, guest.cmdline)
    result.first = int(re.search(r"^report: first (\d+)", texts["empty", None], re.M).group(1))

    traces = [phases_of(guest, names, texts["traced", seed], texts["timed", seed])
              for seed, names in orders.items()]
    result.traced = bool(traces[0][0])
    result.cost = max(cost for _, cost in traces)
    times = {kind: [timed(texts[kind, seed], names) for seed, names in orders.items()]
             for kind in ("timed", "bare", *["traced"] * result.traced)}
    for name, size in sizes.items():
        one = {"name": name, "size": size,
               **{kind: middle([found[name] for found in rounds])
                  for kind, rounds in times.items()}}
        spent = one["timed"]
        one.setdefault("traced", spent)
        # What it costs to trace the load
        one["tracing"] = statistics.median(cost * sum(loads[name].calls.values())
                                           for loads, cost in traces) if result.traced else 0
        one["phases"] = {phase: statistics.median(loads[name].phases[phase] for loads, _ in traces)
                         for phase in reporting.trace.PHASES} if result.traced else \
            dict.fromkeys(reporting.trace.PHASES, 0) | {"other": spent["cpu"],
                                                     "wait": spent["wall"] - spent["cpu"]}
        result.loads.append(one)
    result.notes = notes(result, texts, next(iter(orders)))
    if not bare_differs(list(sizes), modules):
        result.notes.append("The modules have no signatures.")
    return result


def bare_differs(names, modules):
    return any(len(shared.modules.strip(data)) != len(data)
               for data in (modules.content(name) for name in names[:3]))


def notes(result, texts, seed):
    """What a reader must know about the figures."""
    options, missing = reporting.trace.untraced(texts["traced", seed])
    said = [f"No phase is shown: the kernel lacks {option}." for option in options]
    for phase, function in missing.items():
        meant = reporting.trace.PHASES[phase]
        said.append(f"{meant.name}: not shown, {function}() is not in this kernel or inlined"
                    + (f"; needs {meant.option}." if meant.option else "."))
    failed = [f"{load['name']} ({'; '.join(load['timed']['says']) or 'silently'}, errno "
              f"{load['timed']['errno']})" for load in result.loads if load["timed"]["errno"]]
    if failed:
        said.append("These fail to load, on a machine without their hardware or without a "
                    f"module that they ask for: {', '.join(failed)}.")
    packed = method(texts["empty", None])
    if packed:
        said.append(f"The kernel decompresses the modules ({packed}), as kmod asks it to.")
    complaint = re.search(r"^.*(WARNING: .*)$", texts["timed", seed], re.M)
    if complaint:
        said.append(f"The kernel complains: {complaint[1]}")
    return said
