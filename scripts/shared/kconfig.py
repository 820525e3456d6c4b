# SPDX-License-Identifier: GPL-2.0-only
"""Options of a kernel configuration, or of a fragment of one."""
import re


def options(text):
    """{symbol: value}, the last one where there are more; what is not set has the value n."""
    return {name or unset: value or "n" for name, value, unset in
            re.findall(r"^(?:CONFIG_(\w+)=(.*)|# CONFIG_(\w+) is not set)$", text, re.M)}


def lost(wanted, text):
    """Those of the WANTED options that a configuration does not have."""
    have = options(text)
    return [f"CONFIG_{name}={value}" for name, value in wanted.items()
            if have.get(name, "n") != value]
