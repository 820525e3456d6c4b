# SPDX-License-Identifier: GPL-2.0-only
"""What the tests share: where the scripts are, and how one without .py in its name is imported."""
import importlib.machinery
import importlib.util
import pathlib
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SCRIPTS))


def load(name):
    # It would leave NAMEc beside it
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(name, str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
