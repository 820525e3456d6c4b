# SPDX-License-Identifier: GPL-2.0-only
"""The phases of finit_module(2), and their share of a function_graph trace.

Few functions are traced, so that tracing costs little. A phase gets the time in
its functions. Much of the loader is inlined into load_module() or not traceable
(kernel/trace/ itself). Its parts run in a fixed order, so time of the loader
after the end of one traced function belongs to the phase which that one tells."""
import collections
import re

Phase = collections.namedtuple("Phase", "name where option")
PHASES = {
    "read": Phase("Reading the file", "fs/kernel_read_file.c", ""),
    "decompress": Phase("Decompression", "kernel/module/decompress.c, lib/xz/, lib/zstd/",
                        "CONFIG_MODULE_DECOMPRESS"),
    "digest": Phase("Signature: SHA digest of the module",
                    "pkcs7_digest(), crypto/asymmetric_keys/pkcs7_verify.c",
                    "CONFIG_MODULE_SIG"),
    "key": Phase("Signature: public key", "crypto/asymmetric_keys/, crypto/rsa.c, crypto/ecc.c",
                 "CONFIG_MODULE_SIG"),
    "revoked": Phase("Signature: digest again, is it revoked?",
                     "mod_is_hash_blacklisted(), kernel/module/signing.c (a patch of Debian's)",
                     "CONFIG_MODULE_SIG"),
    "check": Phase("ELF and version checks", "kernel/module/main.c", ""),
    "plan": Phase("PLT planning",
                  "module_frob_arch_sections(), arch/arm64/kernel/module-plts.c",
                  "CONFIG_ARM64_MODULE_PLTS (from 6.5 on always there)"),
    "symbols": Phase("Symbol resolution", "simplify_symbols(), kernel/module/main.c", ""),
    "relocate": Phase("Relocation", "apply_relocate_add(), arch/arm64/kernel/module.c", ""),
    "kallsyms": Phase("kallsyms", "layout_symtab(), add_kallsyms(), kernel/module/kallsyms.c",
                      "CONFIG_KALLSYMS"),
    "alternatives": Phase("Alternatives", "module_finalize(), arch/arm64/kernel/alternative.c",
                          ""),
    "ftsort": Phase("ftrace: sorting the call sites",
                    "sort() of ftrace_process_locs(), kernel/trace/ftrace.c",
                    "CONFIG_DYNAMIC_FTRACE"),
    "ftrace": Phase("ftrace: patching the call sites",
                    "ftrace_module_init(), kernel/trace/ftrace.c", "CONFIG_DYNAMIC_FTRACE"),
    "ftenable": Phase("ftrace: enabling the call sites",
                      "ftrace_module_enable(), ftrace_free_mem(), kernel/trace/ftrace.c: less "
                      "without tracing", "CONFIG_DYNAMIC_FTRACE"),
    "exports": Phase("Are exported symbols new?",
                     "verify_exported_symbols(), kernel/module/main.c", ""),
    "btf": Phase("BTF notifier", "btf_module_notify(), kernel/bpf/btf.c",
                 "CONFIG_DEBUG_INFO_BTF_MODULES"),
    "enums": Phase("Enums of trace events",
                   "trace_event_update_all(), kernel/trace/trace_events.c",
                   "CONFIG_TRACEPOINTS"),
    "notifiers": Phase("Other notifiers", "trace events, jump labels, kprobes, ...", ""),
    "sysfs": Phase("Parameters and sysfs", "kernel/params.c, kernel/module/sysfs.c", ""),
    "memory": Phase("Memory: allocate, copy, protect, free",
                    "move_module(), kernel/module/main.c; mm/vmalloc.c", ""),
    "init": Phase("Init function", "the module", ""),
    "wait": Phase("Waiting", "other threads, RCU, firmware", ""),
    "other": Phase("Not attributed", "", ""),
}
# What the charts and the table of modules show, in the order of the call
GROUPS = {
    "File": ["read"], "Decompression": ["decompress"], "Signature": ["digest", "key", "revoked"],
    "PLT planning": ["plan"], "Symbols": ["symbols", "exports"], "Relocation": ["relocate"],
    "ftrace": ["ftsort", "ftrace", "ftenable"], "Notifiers": ["btf", "enums", "notifiers"],
    "Memory": ["memory"], "Rest": ["check", "kallsyms", "alternatives", "sysfs", "other"],
    "Init": ["init"], "Waiting": ["wait"],
}
ROOT = "__arm64_sys_finit_module"
# traced function: (phase of its own time, phase of the loader's time from its end on)
FUNCTIONS = {
    ROOT: ("other", None),
    "init_module_from_file": (None, None),
    "load_module": ("check", None),
    "kernel_read_file": ("read", "other"),
    "module_decompress": ("decompress", "other"),
    "module_sig_check": ("key", "check"),
    "verify_pkcs7_signature": ("key", "revoked"),
    "pkcs7_digest": ("digest", None),
    "module_frob_arch_sections": ("plan", "memory"),
    "layout_symtab": ("kallsyms", "memory"),
    "module_alloc": ("memory", "memory"),
    "execmem_alloc": ("memory", "memory"),
    "init_param_lock": ("symbols", "symbols"),
    "apply_relocate_add": ("relocate", "relocate"),
    "add_kallsyms": ("kallsyms", "alternatives"),
    "module_finalize": ("alternatives", "memory"),
    "strndup_user": ("sysfs", "ftrace"),
    "mutex_lock": (None, None),
    "mutex_unlock": (None, None),
    "down_write": (None, None),
    "up_write": (None, None),
    "module_enable_ro": ("memory", "memory"),
    "module_enable_nx": ("memory", "memory"),
    "module_enable_x": ("memory", "ftenable"),
    "module_enable_rodata_ro": ("memory", "memory"),
    "module_enable_data_nx": ("memory", "memory"),
    "module_enable_text_rox": ("memory", "ftenable"),
    "blocking_notifier_call_chain_robust": ("notifiers", "sysfs"),
    "btf_module_notify": ("btf", None),
    "parse_args": ("sysfs", "sysfs"),
    "mod_sysfs_setup": ("sysfs", "memory"),
    "do_init_module": ("other", "other"),
    "do_one_initcall": ("init", "other"),
    "blocking_notifier_call_chain": ("notifiers", "sysfs"),
    "async_synchronize_full": ("wait", "ftenable"),
}
# The loader itself: in these the second phase counts
LOADER = {ROOT, "init_module_from_file", "load_module", "module_sig_check", "do_init_module"}
# What these call is theirs
OPAQUE = {"do_one_initcall", "module_frob_arch_sections", "parse_args", "mod_sysfs_setup"}
# kernel/trace/ cannot be traced. Enums are what a notifier does between these two, if it has
# just taken a mutex: trace_event_sem is held right behind event_mutex only then
ENUMS = ["mutex_lock", "down_write", "up_write"]
# The first to come after complete_formation() has looked at the exported symbols
FORMED = {"module_enable_ro", "module_enable_rodata_ro"}
# The phases that are lost, or counted to the one before, without this function
NEEDED = {"plan": "module_frob_arch_sections", "digest": "pkcs7_digest",
          "key": "module_sig_check", "revoked": "verify_pkcs7_signature",
          "decompress": "module_decompress", "symbols": "init_param_lock",
          "relocate": "apply_relocate_add", "kallsyms": "add_kallsyms",
          "alternatives": "module_finalize", "ftrace": "strndup_user", "ftsort": "mutex_lock",
          "exports": "mutex_lock",
          "btf": "btf_module_notify", "enums": "down_write",
          "notifiers": "blocking_notifier_call_chain_robust",
          "init": "do_one_initcall", "read": "kernel_read_file", "sysfs": "mod_sysfs_setup"}
LINE = re.compile(r"\s*(\d+)\.(\d+) \|(?:\s*[+!#*@$]?\s*([\d.]+) us)?\s*\|\s*(.*)")
SWITCH = re.compile(r"sched_switch: .*prev_pid=(\d+) .* next_pid=(\d+) ")
COMMANDS = r"""
cd /sys/kernel/tracing 2>/dev/null && [ -f trace ] || { echo report: lacks CONFIG_FTRACE; exit; }
[ -f set_ftrace_filter ] || { echo report: lacks CONFIG_DYNAMIC_FTRACE; exit; }
grep -qw function_graph available_tracers ||
	{ echo report: lacks CONFIG_FUNCTION_GRAPH_TRACER; exit; }
[ -d events/sched/sched_switch ] || echo report: lacks CONFIG_ENABLE_DEFAULT_TRACERS
# By index: for a name ftrace looks up the symbols of all functions, each time
awk -v wanted=" %s " '{ split($1, base, ".") }
	index(wanted, " " base[1] " ") { print NR, base[1] }' available_filter_functions >/tmp/found
set --
while read index name; do
	set -- "$@" $index
	echo report: traces $name
done </tmp/found
echo "$@" >set_ftrace_filter
echo 65536 >buffer_size_kb
echo 1 >options/funcgraph-abstime
echo 1 >options/funcgraph-tail
echo 0 >options/funcgraph-cpu
echo function_graph >current_tracer
echo 1 >events/sched/sched_switch/enable
cd /modules
sh -c 'for file in set_ftrace_pid set_event_pid; do
		echo $$ >/sys/kernel/tracing/$file
	done
	exec /report "$@"' report %s
echo 0 >/sys/kernel/tracing/tracing_on
echo report: trace
cat /sys/kernel/tracing/trace
"""


def commands(files):
    """The guest's shell commands that load FILES and print the trace."""
    return COMMANDS % (" ".join(FUNCTIONS), " ".join(files))


def untraced(text):
    """What the guest said it cannot trace: (kernel options, {phase: function})."""
    options = re.findall(r"^report: lacks (\S+)$", text, re.M)
    have = set(re.findall(r"^report: traces (\S+)$", text, re.M))
    missing = {} if not have else {phase: name for phase, name in NEEDED.items()
                                   if name not in have}
    return options, missing


class Load:
    """One finit_module(2): nanoseconds of each phase, and calls traced in it."""

    def __init__(self, start):
        self.phases = collections.Counter()
        self.calls = collections.Counter()
        self.recent = []  # the last calls traced
        self.taken = 0    # time of the phase "notifiers" when the last lock of ENUMS was taken
        self.locks = []  # time of the phase "ftrace" at each mutex_lock() in it
        self.formed = False
        self.stack = [[ROOT, "other"]]
        self.last = start
        self.away = False

    def spend(self, now):
        """The time up to NOW belongs to the phase of the innermost function."""
        self.phases["wait" if self.away else self.stack[-1][1]] += now - self.last
        self.last = now

    def enter(self, name):
        phase = FUNCTIONS.get(name, (None, None))[0]
        function, around = self.stack[-1]
        self.recent = [*self.recent[-2:], name]
        if around == "notifiers" and self.recent == ENUMS:
            spent = self.phases["notifiers"] - self.taken
            self.phases.update({"enums": spent, "notifiers": -spent})
        self.calls[around] += 1
        if around == "ftrace" and function in LOADER and not self.formed:
            if name == "mutex_lock":
                self.locks.append(self.phases["ftrace"])
            elif name in FORMED:
                self.split()
        if any(function in OPAQUE for function, _ in self.stack):
            phase = None
        self.stack.append([name, phase or around])

    def split(self):
        """The last lock was module_mutex, before the exported symbols; the one before, if
        there is one, ftrace_lock, with the sites sorted and not patched yet."""
        self.formed = True
        if not self.locks:
            return
        exports = self.phases["ftrace"] - self.locks[-1]
        sort = self.locks[-2] if len(self.locks) > 1 else 0
        self.phases.update({"exports": exports, "ftsort": sort, "ftrace": -exports - sort})

    def leave(self):
        name, _ = self.stack.pop()
        around = self.stack[-1]
        if name == ENUMS[-2]:
            self.taken = self.phases["notifiers"]
        if around[0] in LOADER:
            around[1] = FUNCTIONS.get(name, (None, None))[1] or around[1]


def correct(loads, cost):
    """Take from the phases of LOADS what tracing adds: COST nanoseconds a traced call."""
    for load in loads:
        for phase, calls in load.calls.items():
            load.phases[phase] = max(0, load.phases[phase] - calls * cost)


def parse(text):
    """The loads of a trace, in order. A call that does nothing traced is none."""
    loads, load, pid = [], None, None
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        now = int(match[1]) * 10**9 + int(match[2].ljust(9, "0"))
        took = float(match[3]) * 1000 if match[3] else 0
        what = match[4]
        switch = SWITCH.search(what)
        if switch and load:
            pid = pid or switch[1]
            load.spend(now)
            load.away = switch[2] != pid
        elif what == ROOT + "() {":
            load = Load(now)
        elif load and what.endswith("() {"):
            load.spend(now)
            load.enter(what[:-4])
        elif load and what.endswith("();"):
            load.spend(now)
            load.enter(what[:-3])
            load.spend(now + took)
            load.leave()
        elif load and what.startswith("}"):
            load.spend(now)
            if len(load.stack) == 1:
                loads.append(load)
                load = None
            else:
                load.leave()
    return loads
