"""Sectile, a model checker for infinite-state systems and programs.

    >>> import sectile
    >>> outcome = sectile.check('''
    ...     var x : int = 0
    ...     up: x < 5 --> x := x + 1
    ...     invariant small: x <= 3
    ... ''', timeout=10)
    >>> outcome.verdict
    <Verdict.VIOLATED: 'violated'>
    >>> [row["x"] for row in outcome.trace]
    [0, 1, 2, 3, 4]

Models are texts in one of the languages that the command line reads: "sct", "imp", "boogie", "chc" and
"vmt". Every verdict comes with a certificate, a text that `certify` and `sectile certify` check
without trusting what wrote it.
"""

from ._api import certify, check, check_file
from ._results import (
    Certification,
    Differing,
    InputError,
    InternalError,
    Invariants,
    Judgement,
    ModelWarning,
    Outcome,
    Property,
    RequestError,
    SectileError,
    Trace,
    Value,
    Verdict,
)

__all__ = [
    "Certification",
    "Differing",
    "InputError",
    "InternalError",
    "Invariants",
    "Judgement",
    "ModelWarning",
    "Outcome",
    "Property",
    "RequestError",
    "SectileError",
    "Trace",
    "Value",
    "Verdict",
    "certify",
    "check",
    "check_file",
]
