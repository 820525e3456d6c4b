# SPDX-License-Identifier: GPL-2.0-only
"""The part of scripts/series that writes cover letters."""
import re

from patches.steps import STEPS
from shared.common import SERIES, fail, measured


def numbered(tree, variant, text):
    """TEXT of a cover letter with the numbers of patches for those of steps."""
    made_ = tree.git("log", "--reverse", "--format=%s",
                     f"plts-base..plts-{variant}-core").splitlines()
    subjects = {step.parent.name[:2]: step.read_text().split("\n", 1)[0]
                for step in (STEPS / SERIES[variant]).glob("*/message")}
    number = {step: str(made_.index(subject) + 1)
              for step, subject in subjects.items() if subject in made_}

    def patch(found):
        return number.get(found[1]) or fail(f"{SERIES[variant]}/cover-letter: {found[0]}: "
                                            f"no such step on {tree.version}")

    chosen = [re.match(r"(?:@only (\d\d)@\s)?((?s:.*))", part).groups()
              for part in text.split("\n\n")]
    return re.sub(r"@(\d\d)@", patch, "\n\n".join(part for step, part in chosen
                                                   if not step or step in number))


def cover_letter(tree, variant, folder):
    """Write the cover letter with what has been measured by now."""
    text = (STEPS / SERIES[variant] / "cover-letter").read_text()
    subject, body = numbered(tree, variant, text).split("\n\n", 1)
    # What is made of a part of a tree is for the same kernel, but figures are of a whole one
    version = tree.version.removesuffix("-part")
    for mark, figures in (("@TABLE@", "cover"), ("@LOADS@", "loads"), ("@STEPS@", "steps"),
                          ("@CACHES@", "caches")):
        table = measured(tree.version, figures)
        body = body.replace(f"{mark}\n", table.read_text() if table.exists() else
                            f"  (not measured on {version} yet: "
                            "run 'make bench', then 'make series')\n")
    body = body.replace("@VERSION@", version)
    text = (folder / "cover").read_text().replace("*** SUBJECT HERE ***", subject.strip())
    (folder / "0000-cover-letter.patch").write_text(text.replace("*** BLURB HERE ***\n", body))
