# SPDX-License-Identifier: GPL-2.0-only
"""Checks of a report: its figures add up, and its page renders."""
import pathlib
import re
import shutil
import subprocess
import tempfile

from shared.ktap import ktap, status

WIDTHS = [1280, 920, 420]
# Looks at the page as rendered: prints what is wrong with it, or its number of bars
PROBE = """<script>addEventListener("load", () => {
  const wrong = [], seen = element => element.getBoundingClientRect();
  if (document.documentElement.scrollWidth > innerWidth)
    wrong.push("wider than the window: " + document.documentElement.scrollWidth);
  for (const row of document.querySelectorAll(".rows, .tiles, .legend, .label")) {
    const boxes = [...row.children].map(seen).filter(box => box.width && box.height);
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 &&
          b.top < a.bottom - 1) wrong.push("overlap in " + row.className);
    }));
  }
  for (const part of document.querySelectorAll(".bar i"))
    if (part.textContent && part.scrollWidth > part.clientWidth + 1)
      wrong.push("no room for " + part.textContent);
  const bars = [...document.querySelectorAll(".bar i")].filter(part => seen(part).height > 4);
  document.title = "rendered " + (wrong.length ? wrong.join("; ") : "bars " + bars.length);
});</script></body>"""
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]


def close(one, other, share):
    return abs(one - other) <= share * max(one, other)


def sums(result):
    """(name, passed, what was seen) of each check of the figures."""
    if not result.traced:
        yield "phases account for 95 % of the calls", None, "the kernel traces no functions"
        return
    timed = result.total("timed")
    known = sum(spent for phase, spent in result.phases().items() if phase != "other")
    yield "phases account for 95 % of the calls", close(known, timed, .05), f"{known / timed:.2%}"
    heavy = [load for load in result.loads if load["timed"]["wall"] > .01 * timed]
    worst = max(heavy, key=lambda load: load["phases"]["other"] / load["timed"]["wall"])
    yield "and of each call of 1 % or more", \
        worst["phases"]["other"] <= .05 * worst["timed"]["wall"], \
        f"{worst['name']}: {worst['phases']['other'] / worst['timed']['wall']:.2%} not attributed"
    cpu = result.total("traced", "cpu") - sum(load["tracing"] for load in result.loads), \
        result.total("timed", "cpu")
    yield "tracing, its cost taken off, changes the CPU time by less than 3 %", close(*cpu, .03), \
        f"{cpu[0] / cpu[1] - 1:.2%}"
    lost = [phase for phase in ("plan", "relocate", "symbols", "init", "memory")
            if not result.phases()[phase]]
    yield "no phase is empty that every load has", not lost, " ".join(lost)
    unlike = [load["name"] for load in result.loads
              if load["timed"]["errno"] != load["bare"]["errno"]]
    yield "the same modules load without signatures", not unlike, " ".join(unlike)


def rendered(page, width):
    """What headless Chromium makes of the page: the probe's verdict."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "page.html"
        copy.write_text(page.read_text().replace("</body>", PROBE))
        try:
            done = subprocess.run(
                ["chromium", *FLAGS, f"--user-data-dir={folder}/profile",
                 f"--window-size={width},2000", "--dump-dom", copy.as_uri()], timeout=120,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        except subprocess.TimeoutExpired:
            return "chromium does not answer"
    title = re.search(r"<title>rendered (.*?)</title>", done.stdout)
    return title[1] if title else f"no page, exit status {done.returncode}"


def run(result, page):
    """Check a report and its page; the exit status."""
    text = page.read_text()
    checks = list(sums(result))
    checks.append(("the page needs no network and no script",
                   not re.search(r"(src|href)=|url\(|@import|<script", text), ""))
    for width in WIDTHS:
        name = f"the page renders, {width} pixels wide"
        if not shutil.which("chromium"):
            checks.append((name, None, "no chromium on this machine"))
            continue
        verdict = rendered(page, width)
        checks.append((name, bool(re.fullmatch(r"bars \d+", verdict))
                       and int(verdict[5:]) > len(result.loads), verdict))
    text = ktap(checks)
    print(text, end="")
    return status(text)
