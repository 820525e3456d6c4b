# SPDX-License-Identifier: GPL-2.0-only
"""Each check of scripts/bench-real passes what it should, and fails what it should."""
import unittest

from loader import load
from test_report import call, result

real = load("bench-real")


class Checks(unittest.TestCase):
    def setUp(self):
        self.base, self.series = result(10000, 4000), result(1700, 2800)

    def failed(self, kernel="series"):
        return [name for name, passed, _ in
                real.checks(self.base, self.series, real.PROMISES[kernel]) if not passed]

    def only(self, name):
        self.assertEqual(len(self.failed()), 1, self.failed())
        self.assertIn(name, self.failed()[0])

    def test_what_is_promised_passes(self):
        self.assertEqual(self.failed(), [])

    def test_planning_and_relocation_have_a_limit(self):
        self.series.loads[1]["phases"]["plan"] += 1
        self.only("PLT planning")
        self.series.loads[1]["phases"]["plan"] -= 1
        self.series.loads[1]["phases"]["relocate"] += 1
        self.only("Relocation")

    def test_amdgpu_has_a_limit(self):
        base = self.base.loads[0]["bare"]["cpu"]
        self.series.loads[0]["bare"] = call(round(.70 * base) + 1)
        self.only("amdgpu")

    def test_a_module_that_is_slower_in_every_round_by_both_clocks_fails(self):
        cpu = self.base.loads[1]["bare"]["cpu"]     # and 5 more in the other round
        more = cpu // 100
        self.series.loads[1]["bare"] = call(cpu + more, (0, 5 - more))
        self.assertEqual(self.failed(), [])
        self.series.loads[1]["bare"] = call(cpu + more, (0, 5))
        self.only("xfs is not slower")
        self.series.loads[1]["bare"]["rounds"][1]["wall"] = cpu + 5
        self.assertEqual(self.failed(), [])
        self.series.loads[1]["bare"] = call(cpu + cpu // 250, (0, 5))
        self.assertEqual(self.failed(), [])

    def test_rounds_load_the_same_modules_in_other_orders(self):
        class Modules:
            order = staticmethod(list)
        one, two = real.orders(Modules, [1, 2]).values()
        self.assertNotEqual(one, two)
        self.assertEqual(sorted(one), sorted(two))
        self.assertEqual(one, real.orders(Modules, [1])[1])

    def test_a_module_must_fail_as_on_base(self):
        for kind in ("timed", "bare"):
            self.series.loads[1][kind]["errno"] = 19
        self.assertEqual(self.failed(), ["xfs (timed) loads as on base",
                                         "xfs (bare) loads as on base"])
        for kind in ("timed", "bare"):
            self.base.loads[1][kind] |= {"errno": 19, "says": ["xfs: no device"]}
        self.assertEqual(self.failed(), ["xfs (timed) fails with the message of base",
                                         "xfs (bare) fails with the message of base"])

    def test_other_phases_must_agree(self):
        for spent, agrees in ((103, True), (104, False)):
            for load in self.series.loads:
                load["phases"]["memory"] = spent
            if agrees:
                self.assertEqual(self.failed(), [])
        self.only("Memory")

    def test_phases_have_limits_with_the_other_series(self):
        self.base, self.series = result(100, 100), result(100, 100)
        limits = {"enums": 2, "symbols": 40, "ftsort": 40, "ftrace": 45}
        self.assertEqual(self.failed("load"), [
            f"{real.PHASES[phase].name}: at most {limit / 100:.2f} of base"
            for phase, limit in limits.items()])
        for load in self.series.loads:
            load["phases"] |= limits
        self.assertEqual(self.failed("load"), [])

    def test_phases_must_add_up(self):
        found = {"base": self.base, "series": self.series, "load": self.base, "all": self.series}
        for load in self.base.loads:
            load["timed"]["wall"] *= 1.1
        self.assertIn("base: phases account for 95 % of the calls",
                      [name for name, passed, _ in real.all_checks(found) if not passed])


if __name__ == "__main__":
    unittest.main()
