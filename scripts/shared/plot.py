# SPDX-License-Identifier: GPL-2.0-only
"""The pictures of results, drawn by gnuplot from the CSV files beside them."""
import csv
import subprocess

from shared.common import LOGS, fail, start

# The phases of a load that are shown, and the rest of it: colours that differ in lightness too
PHASES = ["plan", "apply", "enums"]
COLOURS = {"planning": "#b3261e", "relocation": "#e8a33d", "enums of trace events": "#2f5d8a",
           "the rest": "#8fa0b0"}


def gnuplot(picture, commands):
    """Draw PICTURE, an SVG file."""
    with start(["gnuplot"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
               stderr=subprocess.PIPE, text=True) as process:
        drawn, said = process.communicate(commands)
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"plot-{picture.stem}"
    log.write_text(commands + said)
    if process.returncode:
        fail(f"gnuplot: {picture.name}: {said.strip().splitlines()[-1]}, see {log}")
    declaration, rest = drawn.split("\n", 1)
    picture.write_text(f"{declaration}\n<!-- SPDX-License-Identifier: GPL-2.0-only -->\n{rest}")


def loads(rows, modules, kernels):
    """{module: [(kernel, a number for each of PHASES, rest)]} in million instructions."""
    value = {(row["module"], row["kernel"], row["phase"]): float(row["minsn"])
             for row in rows if row["placement"] == "near"}
    return {module: [(kernel, *parts(value, module, kernel)) for kernel in kernels]
            for module in modules}


def parts(value, module, kernel):
    spent = [value[module, kernel, phase] for phase in PHASES]
    return *spent, max(value[module, kernel, "total"] - sum(spent), 0)


def loadtime(figures, modules, kernels):
    """Draw FIGURES, a CSV file, beside it: for each module the loads on KERNELS, near, split."""
    with open(figures, encoding="ascii") as file:
        data = loads(list(csv.DictReader(file)), modules, kernels)
    rows = (len(modules) + 2) // 3
    height = 260 * rows + 80
    script = [
        f"set terminal svg size 960,{height} font 'sans,12' background 'white'",
        "set encoding utf8",
        # Below the title a line for what the colours mean
        f"set multiplot layout {rows},3 title \"Loading a module, million instructions "
        "(near the kernel)\\n \" font ',16' offset 0,-0.3",
        "set style data histograms", "set style histogram rowstacked",
        "set style fill solid 1.0 noborder", "set boxwidth 0.62", "set border 1 lc rgb '#777777'",
        "set ytics nomirror out scale 0.4 textcolor rgb '#555555'", "set xtics scale 0"
        + (" font ',9'" if len(kernels) > 4 else ""),
        "set grid ytics lc rgb '#e4e4e4'", "unset key", "set yrange [0:*]", "set tmargin 3"]
    # A key is no wider than one of the plots: these stand above all
    script += [f"set label {100 + at} '\u25a0 {phase}' at screen {(at + .6) / 4.2:.3f},"
               f"{1 - 52 / height} center textcolor rgb '{colour}'"
               for at, (phase, colour) in enumerate(COLOURS.items())]
    for index, (module, bars) in enumerate(data.items()):
        lines = [" ".join(map(str, bar)) for bar in bars]
        totals = [sum(bar[1:]) for bar in bars]
        script += [f"$m{index} << EOD", *lines, "EOD",
                   f"set title '{module.replace('_', ' ')}' font ',13' offset 0,-0.5",
                   f"set yrange [0:{max(totals) * 1.15}]"]
        script += [f"set label {at + 1} '{total:.{1 if total < 20 else 0}f}' at {at},{total} "
                   "center offset 0,0.6" for at, total in enumerate(totals)]
        plots = [f"$m{index} using {column}{':xtic(1)' if column == 2 else ''} "
                 f"lc rgb '{colour}'"
                 for column, colour in enumerate(COLOURS.values(), 2)]
        script.append("plot " + ", ".join(plots))
    gnuplot(figures.with_suffix(".svg"), "\n".join([*script, "unset multiplot", ""]))


def growth(results):
    """growth.svg: planning, for each branch, against the number of branches."""
    with open(results / "growth.csv", encoding="ascii") as file:
        rows = [row for row in csv.DictReader(file) if row["module"].startswith("branches_")]
    counts = {kernel: [(int(row["branches"]), int(row["plan"]) / int(row["branches"]))
                       for row in rows if row["kernel"] == kernel]
              for kernel in ("base", "series")}
    with open(results / "growth-native.csv", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    times = {kernel: [(int(row["branches"]), float(row[kernel])) for row in rows]
             for kernel in counts}
    script = ["set terminal svg size 960,400 font 'sans,12' background 'white'",
              "set multiplot layout 1,2 title 'Planning PLT entries, for each branch' "
              "font ',15'",
              "set logscale x", "set logscale y 2", "set border 3 lc rgb '#777777'",
              "set grid lc rgb '#e4e4e4'", "set xtics nomirror format '10^{%L}'",
              "set ytics nomirror", "set xlabel 'branch relocations in the module'",
              "set key left top"]
    colours = {"base": "#b3261e", "series": "#2f5d8a"}
    for name, least, found in (("instructions, in QEMU", 32, counts),
                               ("nanoseconds, natively", 4, times)):
        data = f"$d{least}"
        for kernel in colours:
            script += [f"{data}{kernel} << EOD",
                       *[f"{branches} {value}" for branches, value in found[kernel]], "EOD"]
        script += [f"set title '{name}' font ',13'", f"set yrange [{least}:*]",
                   "plot " + ", ".join(
                       f"{data}{kernel} with linespoints lw 2 pt 7 ps 0.7 lc rgb '{colour}' "
                       f"title '{kernel}'" for kernel, colour in colours.items())]
    gnuplot(results / "growth.svg", "\n".join([*script, "unset multiplot", ""]))
