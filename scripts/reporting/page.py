# SPDX-License-Identifier: GPL-2.0-only
"""The page of scripts/report: one self-contained HTML file, charts in HTML and CSS."""
import html

from reporting.trace import GROUPS, PHASES

SHOWN = 24  # modules in the chart before the fold
STYLE = """
:root { color-scheme: light dark; --page: #fbfbfa; --card: #fff; --ink: #1d2126; --soft: #5c6670;
  --line: #e3e5e8; --track: #f0f1f3; --kernel: #aab2bb;
  --g0: #a9c4ee; --g1: #4f7fd0; --g2: #e3a02f; --g3: #d3265f; --g4: #8a63c9; --g5: #f088ab;
  --g6: #1f9b8e; --g7: #74ad4b; --g8: #7f9bad; --g9: #b4b4ac; --g10: #a5714f; --g11: #d9dade; }
@media (prefers-color-scheme: dark) { :root { --page: #14171b; --card: #1c2026; --ink: #e8eaed;
  --soft: #9aa4af; --line: #2d333b; --track: #262b32; --kernel: #69727d; --g0: #7fa3da;
  --g1: #4a78c6; --g9: #85867f; --g11: #474d55; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -.01em; }
h2 { font-size: 19px; margin: 0 0 4px; }
p { margin: 0 0 12px; max-width: 78ch; } .soft { color: var(--soft); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 20px 22px; margin-top: 18px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 12px;
  margin-top: 20px; }
.tile { background: var(--card); border: 1px solid var(--line); border-top: 4px solid var(--tone);
  border-radius: 10px; padding: 12px 16px; }
.tile b { display: block; font-size: 27px; line-height: 1.25; font-weight: 650; }
.tile span { color: var(--soft); font-size: 13px; display: block; line-height: 1.35; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 10px 0 14px; font-size: 13px; }
.legend span { white-space: nowrap; }
.swatch { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px;
  background: var(--tone); vertical-align: -1px; }
.bar { display: flex; height: 100%; overflow: hidden; border-radius: 3px; }
.bar i { display: block; height: 100%; background: var(--tone); min-width: 0; font-style: normal;
  overflow: hidden; flex: none; }
.rows { display: grid; grid-template-columns: max-content 1fr max-content minmax(90px, 22%);
  gap: 5px 12px; align-items: center; font-size: 13px; }
.rows .head { color: var(--soft); font-size: 12px; }
.rows .track, .rows .mix:not(.head) { height: 16px; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.name { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
.boot { margin-top: 16px; } .boot .bar { height: 34px; border-radius: 5px; }
.boot .bar i { box-shadow: inset -1px 0 0 var(--card); color: #fff; font-size: 12px;
  line-height: 34px; text-align: center; text-shadow: 0 0 3px #0009; white-space: nowrap; }
.label { display: flex; justify-content: space-between; gap: 12px; margin-bottom: 4px;
  font-size: 14px; flex-wrap: wrap; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th { text-align: left; color: var(--soft); font-weight: 500; font-size: 12.5px; }
th, td { padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th.number { text-align: right; } tr:last-child td { border-bottom: 0; }
td.share { width: 20%; min-width: 90px; padding-top: 10px; } td.share .bar { height: 10px; }
td.where { color: var(--soft); font-size: 12.5px; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } .wide table { font-size: 12px; white-space: nowrap; }
summary { cursor: pointer; color: var(--soft); margin-top: 12px; font-size: 14px; }
ul { padding-left: 20px; margin: 8px 0 0; max-width: 80ch; } li { margin-bottom: 5px; }
@media (max-width: 900px) { .boot .bar i { font-size: 0; } }
@media (max-width: 640px) { main { padding: 20px 12px 40px; } section { padding: 16px 14px; }
  .rows { grid-template-columns: max-content 1fr max-content; gap: 5px 8px; }
  .rows .mix { display: none; } td.where, th.where { display: none; } h1 { font-size: 23px; } }
"""


def tone(group):
    return f"--tone:var(--g{list(GROUPS).index(group)})"


def mega(spent, digits=1):
    return f"{spent / 1e6:,.{digits}f}"


def percent(part, whole):
    share = part / whole if whole else 0
    return f"{share:.0%}" if share >= .095 else f"{share:.1%}" if share >= .0095 else f"{share:.2%}"


def segment(name, spent, scale, whole, style, label=False):
    """A part of a bar that is SCALE wide and shows WHOLE."""
    width = 100 * max(spent, 0) / scale
    if width < .02:
        return ""
    text = f"{name} {percent(spent, whole)}"
    fits = label and width > 1.5 + .75 * len(text)
    return (f'<i style="width:{width:.2f}%;{style}" title="{html.escape(text)}, {mega(spent)} '
            f'million">{html.escape(text) if fits else ""}</i>')


def stacked(groups, scale):
    """A bar of {group: ns}, with SCALE as its full width."""
    whole = sum(groups.values())
    return '<div class="bar">' + "".join(
        segment(group, spent, scale, whole, tone(group)) for group, spent in groups.items()
    ) + "</div>"


def legend(result):
    return '<div class="legend">' + "".join(
        f'<span><i class="swatch" style="{tone(group)}"></i>{html.escape(group)}</span>'
        for group, spent in result.groups().items() if spent) + "</div>"


def summary(result):
    """The answer in sentences."""
    loads, bare = result.total("timed"), result.total("bare")
    groups, boot = result.groups(), result.first + loads
    known = sum(groups.values()) - result.phases()["other"]
    said = [
        f"Loading is {percent(loads, boot)} of the {mega(boot)} million instructions from the "
        f"kernel's entry to the end of the loads; without signatures "
        f"{percent(bare, result.first + bare)} of {mega(result.first + bare)}."]
    if not result.traced:
        return said
    return said + [
        f"PLT planning is {percent(groups['PLT planning'], loads)} of the loads and "
        f"{percent(groups['PLT planning'], boot)} of that boot; relocation "
        f"{percent(groups['Relocation'], loads)} and {percent(groups['Relocation'], boot)}.",
        f"The phases, traced in one boot, add up to {known / loads:.1%} of the calls, timed in "
        f"another. Tracing costs {result.cost} instructions a traced call, which the phases "
        "do not include.",
    ]


def tiles(result):
    loads, groups = result.total("timed"), result.groups()
    boot = result.first + loads
    order = sorted((group for group in groups if group not in ("PLT planning", "Rest", "Waiting")),
                   key=lambda group: -groups[group])[:3]
    cells = [f'<div class="tile" style="--tone:var(--kernel)"><b>'
             f'{percent(loads, boot)}</b><span>of the boot is loading these '
             f'{len(result.loads)} modules</span></div>']
    for group in [*order, "PLT planning"]:
        cells.append(f'<div class="tile" style="{tone(group)}"><b>{percent(groups[group], loads)}'
                     f'</b><span>of the loads: {html.escape(group)}, {mega(groups[group], 0)} '
                     'million</span></div>')
    return f'<div class="tiles">{"".join(cells)}</div>'


def boots(result):
    """From the kernel's entry to the end of the loads, with and without signatures."""
    groups = result.groups()
    bare = {group: spent for group, spent in groups.items() if group != "Signature"}
    bars = [("With the signature check", result.total("timed"), groups),
            ("Without: signatures removed from the modules", result.total("bare"), bare)]
    scale = result.first + max(loads for _, loads, _ in bars)
    cells = []
    for title, loads, shares in bars:
        boot, traced = result.first + loads, sum(shares.values())
        line = segment("Kernel", result.first, scale, boot, "--tone:var(--kernel)", True)
        line += "".join(segment(group, spent * loads / traced, scale, boot, tone(group), True)
                        for group, spent in shares.items())
        cells.append(f'<div class="boot"><div class="label"><b>{title}</b><span class="soft">'
                     f'{mega(result.first)} to the first process + {mega(loads)} loading = '
                     f'{mega(boot)} million</span></div><div class="bar">{line}</div></div>')
    return "".join(cells)


def phases(result):
    """The phases, the most expensive first."""
    loads = result.total("timed")
    boot = result.first + loads
    colour = {phase: group for group, members in GROUPS.items() for phase in members}
    spents = sorted(result.phases().items(), key=lambda item: -item[1])
    lines = [f'<tr><td><i class="swatch" style="{tone(colour[phase])}"></i>'
             f'{html.escape(PHASES[phase].name)}</td><td class="number">{mega(spent)}</td>'
             f'<td class="number">{percent(spent, loads)}</td><td class="number">'
             f'{percent(spent, boot)}</td><td class="share">'
             f'{stacked({colour[phase]: spent}, spents[0][1])}</td>'
             f'<td class="where">{html.escape(PHASES[phase].where)}</td></tr>'
             for phase, spent in spents if spent]
    return ('<table><tr><th>Phase</th><th class="number">Million</th><th class="number">of loads'
            '</th><th class="number">of boot</th><th></th><th class="where">In the tree</th></tr>'
            f'{"".join(lines)}</table>')


def rows(result, loads, most):
    cells = ['<div class="head">Module</div><div class="head">Million instructions</div>'
             '<div></div><div class="head mix">Composition</div>']
    for load in loads:
        groups = result.groups(load)
        whole = sum(groups.values()) or 1
        mark = " *" if load["timed"]["errno"] else ""
        cells.append(f'<div class="name">{html.escape(load["name"])}{mark}</div><div class="track">'
                     f'{stacked(groups, most)}</div><div class="number">{mega(whole)}</div>'
                     f'<div class="mix">{stacked(groups, whole)}</div>')
    return f'<div class="rows">{"".join(cells)}</div>'


def charts(result):
    """Stacked bars a module, the most expensive first; the small ones folded, on their scale."""
    loads = sorted(result.loads, key=lambda load: -sum(load["phases"].values()))
    totals = [sum(load["phases"].values()) for load in loads]
    text = rows(result, loads[:SHOWN], totals[0])
    if loads[SHOWN:]:
        text += (f"<details><summary>The other {len(loads) - SHOWN} modules, {mega(totals[SHOWN])} "
                 "million and less, on a scale of their own</summary>"
                 f"{rows(result, loads[SHOWN:], totals[SHOWN])}</details>")
    return text


def figures(result):
    heads = "".join(f'<th class="number">{html.escape(phase)}</th>' for phase in PHASES)
    lines = []
    for load in result.loads:
        cells = "".join(f'<td class="number">{mega(load["phases"][phase], 2)}</td>'
                        for phase in PHASES)
        lines.append(f'<tr><td class="name">{html.escape(load["name"])}</td><td class="number">'
                     f'{mega(load["timed"]["wall"], 2)}</td><td class="number">'
                     f'{mega(load["bare"]["wall"], 2)}</td>{cells}</tr>')
    return (f'<div class="wide"><table><tr><th>module</th><th class="number">call</th>'
            f'<th class="number">unsigned</th>{heads}</tr>{"".join(lines)}</table></div>')


def page(result):
    """The whole page."""
    said = "".join(f"<p>{html.escape(line)}</p>" for line in summary(result))
    notes = "".join(f"<li>{html.escape(note)}</li>" for note in result.notes)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Module load time: {html.escape(result.release)}</title><style>{STYLE}</style></head>
<body><main>
<h1>Where module load time goes</h1>
<p class="soft">Linux {html.escape(result.release)}, arm64, {len(result.loads)} modules. One
instruction of the guest is one nanosecond: a million is a millisecond.</p>
{tiles(result)}
<section><h2>Share of boot</h2>
<p class="soft">From the kernel's entry until the last module is loaded.</p>
{legend(result)}{boots(result)}</section>
<section><h2>Modules</h2><p class="soft">Each call of finit_module(2), the most expensive first.</p>
{legend(result)}{charts(result)}</section>
<section><h2>Phases, and where they live</h2>{phases(result)}</section>
<section><h2>In words</h2>{said}
<ul>{notes}
<li>Files are read from the page cache and there is no hardware: a disk, and init functions that
find their device, make loads and boots longer, and each share of planning smaller.</li>
<li>Instructions are not cycles: cache misses and the latency of special instructions do not
show.</li>
<li>The time to the first process is that of a boot without modules in the initramfs.</li>
<li>Added to the command line: {html.escape(result.cmdline or "nothing")}. KASLR may place modules
far from the kernel; then relocation takes longer, planning does not.</li></ul></section>
<section><h2>All figures</h2><details><summary>A table of every module and phase, million
instructions; the same is in report.csv</summary>{figures(result)}</details></section>
</main></body></html>
"""
