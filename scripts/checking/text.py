# SPDX-License-Identifier: GPL-2.0-only
"""The part of scripts/check that reads: patches, kernel-doc comments, documentation."""
import functools
import re
import shutil

from checking.checks import Check, Failure, Skip, perform, version_of

IGNORED = [
    "MISSING_SIGN_OFF",     # who sends the series signs it off
    "FILE_PATH_CHANGES",    # the last patch adds the entry to MAINTAINERS
    "UNKNOWN_COMMIT_ID",    # bases have no history
    "ENOSYS",               # without its option in the kernel, that is what delete_module() gives
]
# The same, where a type as a whole would be too much
INAPPLICABLE = [
    r"Avoid CamelCase: <(G?Elf\w*|LLVMFuzzerTestOneInput)>",    # named so by ELF and libraries
    # shims define what the kernel's source expects, be it liked in new code or not; and what
    # prints KTAP is without them
    r"/(shims/.*|ktap\.h:\d+): \w+:(AVOID_BUG|EXPORT_SYMBOL|INCLUDE_LINUX|MACRO_ARG_(UNUSED|REUSE|PRECEDENCE)|"
    r"NEW_TYPEDEFS|PREFER_DEFINED_ATTRIBUTE_MACRO|STRCPY): ",
]


def checkpatch(series, patch):
    """Fail if the tree's checkpatch.pl --strict says anything that applies."""
    command = ["scripts/checkpatch.pl", "--strict", "--terse", "--show-types",
               "--showfile", "--ignore", ",".join(IGNORED), patch]
    with series.at(series.head):
        # its status counts what is inapplicable too
        lines = perform(f"checkpatch {patch.name[:4]}",
                        ["sh", "-c", '"$@" || [ $? = 1 ]', "sh", *command],
                        f"checkpatch-{patch.name[:4]}", series)
    found = [line for line in lines if line and not line.startswith("total: ")
             and not any(re.search(pattern, line) for pattern in INAPPLICABLE)]
    if found:
        raise Failure("\n".join(line.replace(f"{patch.parent}/", "") for line in found[:3]))


def kernel_doc(series):
    """Fail if a kernel-doc comment in a file of the series is not right."""
    with series.at(series.head):
        files = [name for name in series.changed("*.c", "*.h")
                 if "/**\n" in (series.tree / name).read_text()]
        tool = next(name for name in ("tools/docs/kernel-doc", "scripts/kernel-doc")
                    if (series.tree / name).exists())
        lines = perform("kernel-doc", [tool, "-none", "-Werror", *files], "kernel-doc", series)
    if not files:
        raise Failure("no file of the series has kernel-doc comments")
    for line in lines:
        raise Failure(line)


def sphinx(series):
    """Fail if our page or its line in the index gets a warning."""
    if not shutil.which("sphinx-build"):
        raise Skip("no sphinx-build here: install python3-sphinx and python3-sphinx-rtd-theme")
    out = series.out / "docs"
    with series.at(series.head):
        page = next(name for name in series.changed("Documentation/*.rst")
                    if not name.endswith("/index.rst"))
        index = page.rsplit("/", 1)[0] + "/index.rst"
        folder = index.removeprefix("Documentation/").removesuffix("/index.rst")
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        lines = perform("htmldocs", ["make", f"O={out}", f"SPHINXDIRS={folder}", "htmldocs"],
                        "htmldocs", series)
    for line in lines:
        if re.search(r"WARNING|ERROR|CRITICAL", line) and (page in line or index in line):
            raise Failure(line)
    if not list(out.rglob(page.rsplit("/", 1)[1].replace(".rst", ".html"))):
        raise Failure(f"no page made from {page}")


def checks(series):
    for step, patch in zip(series.steps, series.patches):
        text = [line for line in patch.read_text().splitlines()
                if not line.startswith(("From ", "Date: "))]
        yield Check(f"checkpatch of step {step}",
                    ["checkpatch", text, series.tree_of("plts-base", "scripts/checkpatch.pl")],
                    functools.partial(checkpatch, series, patch))
    base = series.tree_of("plts-base")
    if series.variant != "series":
        return  # no documents of its own
    yield Check("kernel-doc", ["kernel-doc", base, *[series.tree_of(series.head, name)
                                                     for name in ("arch", "tools")]],
                functools.partial(kernel_doc, series))
    yield Check("documentation builds", ["sphinx", base, version_of("sphinx-build"),
                                         series.tree_of(series.head, "Documentation")],
                functools.partial(sphinx, series))
