"""Tests of the package as it is installed. `../test.sh` installs it and runs them."""

import dataclasses
import doctest
import os
import re
import signal
import threading
import time
import unittest
from fractions import Fraction
from pathlib import Path

import sectile
from sectile import Verdict

ROOT = Path(__file__).resolve().parents[3]

COUNTER = """
param limit = 10
var x : int = 0
up:   x < limit --> x := x + 1
down: x > 0     --> x := x - 1
invariant small: x <= limit
invariant odd:   x != 3
"""

HARD = (ROOT / "models/fischer.sct").read_text()


def hard(**options):
    """A check that takes longer than anybody waits."""
    return sectile.check(HARD, define={"n": 7}, **options)


class Checks(unittest.TestCase):
    def test_verdicts_with_their_evidence(self):
        outcome = sectile.check(COUNTER, language="sct", timeout=10)
        self.assertIs(outcome.verdict, Verdict.VIOLATED)
        self.assertEqual(outcome.verdict, "violated")
        self.assertEqual([p.name for p in outcome.properties], ["small", "odd"])
        small, odd = outcome["small"], outcome["odd"]
        self.assertIs(small.verdict, Verdict.HOLDS)
        self.assertTrue(small.certified and odd.certified)
        (invariants,) = small.invariants
        self.assertIsNone(invariants.location)
        self.assertIn("x", invariants.conjuncts[0])
        self.assertIsNone(small.trace)
        self.assertIs(outcome.trace, odd.trace)
        self.assertTrue(dataclasses.is_dataclass(outcome) and dataclasses.is_dataclass(small))
        with self.assertRaises(KeyError):
            outcome["large"]

    def test_a_run_is_a_list_of_dictionaries(self):
        trace = sectile.check(COUNTER, properties="odd").trace
        self.assertEqual([row["x"] for row in trace], [0, 1, 2, 3])
        self.assertEqual(trace[0], {"step": 0, "action": "start", "line": None, "x": 0})
        self.assertEqual(trace[3], {"step": 3, "action": "up", "line": 4, "x": 3})
        self.assertIn("x = 3", trace.conclusion)
        self.assertIsNone(trace.back_to)

    def test_values_are_those_of_python(self):
        text = """
            const half : real
            assume half = 1/2
            var c : real = 0
            var on : bool = false
            var step : {idle, busy} = idle
            go: not on --> any d : real where d = half, c := c + d, on := true, step := busy
            invariant never: not on
        """
        trace = sectile.check(text).trace
        self.assertEqual(trace.constants, {"half": Fraction(1, 2)})
        self.assertEqual(
            {k: v for k, v in trace[1].items() if k != "line"},
            {
                "step": 1,
                "action": "go",
                "input.d": Fraction(1, 2),
                "c": Fraction(1, 2),
                "on": True,
                "var.step": "busy",
            },
        )

    def test_pandas_likes_runs(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        table = pandas.DataFrame(sectile.check(COUNTER).trace)
        self.assertEqual(list(table["x"]), [0, 1, 2, 3])
        self.assertEqual(table["x"].max(), 3)

    def test_programs_have_locations(self):
        text = "l0: x := 0;\nl1: while (x < 3) {\nl2:   x := x + 1;\n    }\nl3:\n\nalways end: l3 => x = 4\n"
        outcome = sectile.check(text, "imp")
        self.assertIs(outcome.verdict, Verdict.VIOLATED)
        self.assertTrue(all(row["location"] for row in outcome.trace))

    def test_files_have_the_language_of_their_ending(self):
        outcome = sectile.check_file(ROOT / "models/bakery.sct", define={"bug": True})
        self.assertIs(outcome["mutex"].verdict, Verdict.VIOLATED)
        with self.assertRaises(sectile.RequestError):
            sectile.check_file("model.txt")

    def test_parameters_and_options(self):
        outcome = sectile.check(
            COUNTER,
            timeout=60,
            define={"limit": 2},
            properties=["small"],
            engines=["slab"],
            settings={"slab-paper": True},
            predicates="x <= 2",
            memory=8 << 30,
            seed=1,
            jobs=2,
        )
        self.assertIs(outcome.verdict, Verdict.HOLDS)
        self.assertEqual([(p.name, p.engine) for p in outcome.properties], [("small", "slab")])
        self.assertIn("param limit = 2", outcome.certificate)

    def test_what_went_wrong_is_an_exception(self):
        with self.assertRaisesRegex(sectile.InputError, r"mine:1:15"):
            sectile.check("var x : int = false", name="mine")
        for options in [
            {"properties": ["large"]},
            {"engines": "none"},
            {"language": "latin"},
            {"detail": "all"},
            {"timeout": -1},
            {"timeout": float("nan")},
        ]:
            with self.subTest(options), self.assertRaises(sectile.RequestError):
                sectile.check(COUNTER, **options)
        self.assertTrue(issubclass(sectile.RequestError, ValueError))


class Limits(unittest.TestCase):
    def test_time(self):
        begun = time.monotonic()
        outcome = hard(timeout=0.5)
        self.assertLess(time.monotonic() - begun, 10)
        self.assertIs(outcome.verdict, Verdict.UNKNOWN)
        self.assertEqual(outcome.properties[0].reason, "timeout")
        self.assertIsNone(outcome.certificate)

    def test_memory(self):
        self.assertEqual(hard(memory=1).properties[0].reason, "memory limit")

    def test_control_c_ends_a_check(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sender = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        begun = time.monotonic()
        sender.start()
        with self.assertRaises(KeyboardInterrupt):
            hard(timeout=300)
        self.assertLess(time.monotonic() - begun, 10)

    def test_other_threads_work_meanwhile(self):
        worker = threading.Thread(target=hard, kwargs={"timeout": 1.5})
        worker.start()
        longest, last = 0.0, time.monotonic()
        while worker.is_alive():
            time.sleep(0.001)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        # With the lock it would be all of it.
        self.assertLess(longest, 1.0)

    def test_checks_run_side_by_side(self):
        verdicts = []
        run = lambda: verdicts.append(sectile.check(COUNTER).verdict)
        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(verdicts, [Verdict.VIOLATED] * 4)


class Events(unittest.TestCase):
    def test_they_are_heard_on_the_thread_that_called(self):
        heard = []
        me = threading.get_ident()
        sectile.check(COUNTER, on_event=lambda e: heard.append((e["event"], threading.get_ident() == me)))
        self.assertIn(("started", True), heard)
        self.assertEqual([e for e, _ in heard].count("decided"), 2)
        self.assertTrue(all(mine for _, mine in heard))

    def test_an_exception_ends_the_check(self):
        def refuse(event):
            raise LookupError(event["event"])

        with self.assertRaisesRegex(LookupError, "started"):
            hard(on_event=refuse)


class Certificates(unittest.TestCase):
    def test_they_are_accepted(self):
        outcome = sectile.check(COUNTER)
        certification = sectile.certify(COUNTER, outcome.certificate)
        self.assertTrue(certification.accepted)
        self.assertIs(certification.verdict_of("small"), Verdict.HOLDS)
        self.assertIs(certification.verdict_of("odd"), Verdict.VIOLATED)
        self.assertIs(certification.verdict_of("large"), Verdict.UNKNOWN)
        own = sectile.certify(COUNTER, outcome["odd"].certificate)
        self.assertEqual([j.property for j in own.judgements], ["odd"])

    def test_wrong_ones_are_refused(self):
        certificate = sectile.check(COUNTER)["odd"].certificate
        wrong = sectile.certify(COUNTER, certificate.replace("x = 3", "x = 2"))
        self.assertFalse(wrong.accepted)
        self.assertEqual(wrong.judgements[0].judged, "refused")
        self.assertIs(wrong.verdict_of("odd"), Verdict.UNKNOWN)
        for none in ["sectile certificate 1\n", "this is none"]:
            with self.assertRaises(sectile.InputError):
                sectile.certify(COUNTER, none)

    def test_those_about_other_instances_are_refused(self):
        certificate = sectile.check(COUNTER, define={"limit": 5}).certificate
        other = sectile.certify(COUNTER, certificate)
        self.assertFalse(other.accepted)
        self.assertEqual(other.differing, [sectile.Differing("limit", "5", "10")])
        self.assertTrue(sectile.certify(COUNTER, certificate, define={"limit": 5}).accepted)


class Documents(unittest.TestCase):
    def test_what_they_show_is_true(self):
        documents = [ROOT / "docs/library.md", ROOT / "contrib/python/README.md"]
        shown = 0
        for document in documents:
            names = {}
            for block in re.findall(r"```python\n(.*?)```", document.read_text(), re.S):
                with self.subTest(document=document.name, block=block):
                    exec(compile(block, document.name, "exec"), names)
                shown += 1
        self.assertGreaterEqual(shown, 2)
        self.assertEqual(doctest.testmod(sectile).failed, 0)


if __name__ == "__main__":
    unittest.main()
