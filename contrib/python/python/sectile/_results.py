"""Results as dataclasses, and what can go wrong."""

import re
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, Dict, List, Optional, Tuple, Union

Value = Union[bool, int, Fraction, str]
"""A value of a run: Booleans, integers and rational numbers as Python has them, all else as text."""


class SectileError(Exception):
    """There is no result. That a verdict is unknown is no error."""


class InputError(SectileError, ValueError):
    """A text cannot be read; the message has the place of every mistake."""


class RequestError(SectileError, ValueError):
    """The request makes no sense, such as a property that the model does not have."""


class InternalError(SectileError, RuntimeError):
    """A bug of Sectile, such as a verdict that failed its own check. Please report it."""


class Verdict(str, Enum):
    """What is known about a property."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class ModelWarning:
    """Something that was probably not meant."""

    code: str
    message: str
    line: Optional[int]


@dataclass(frozen=True)
class Invariants:
    """What a proof says of a location; of the whole state, where there are no locations."""

    location: Optional[str]
    conjuncts: List[str]


class Trace(List[Dict[str, Any]]):
    """A run: a list with one dictionary for every state, which pandas makes a table of.

    The keys are `step` (0, 1, ...), `action` (the command that led to the state; `start` for the first
    one), `line` (where that stands), in programs `location`, values that were chosen in the
    step as `input.NAME`, and the variables of the model by their names. A variable that is called
    like one of the first four has the key `var.NAME`.
    """

    constants: Dict[str, Value]
    """The values of the symbolic constants."""
    back_to: Optional[int]
    """The number of the state to which the last one returns: the run goes round for ever."""
    conclusion: str
    """Why the run violates the property."""
    omitted: Optional[Tuple[int, int]]
    """Of a very long run the middle is left out: the states before it, and how many it has."""

    def __init__(self, document: Dict[str, Any]) -> None:
        super().__init__(_rows(document))
        self.constants = _values(document["constants"])
        self.back_to = document["back_to"]
        self.conclusion = document["conclusion"]
        omitted = document["omitted"]
        self.omitted = tuple(omitted) if omitted else None


_OWN_KEYS = ("step", "action", "line", "location")


def _rows(document: Dict[str, Any]) -> List[Dict[str, Any]]:
    states = document["states"]
    before, left_out = document["omitted"] or (len(states), 0)
    in_program = any(state["location"] is not None for state in states)
    rows = []
    for k, state in enumerate(states):
        row: Dict[str, Any] = {
            "step": k if k < before else k + left_out,
            "action": state["action"],
            "line": state["line"],
        }
        if in_program:
            row["location"] = state["location"]
        for name, value in state["inputs"]:
            row["input." + name] = _value(value)
        for name, value in state["values"]:
            row["var." + name if name in _OWN_KEYS else name] = _value(value)
        rows.append(row)
    return rows


def _values(pairs: List[List[str]]) -> Dict[str, Value]:
    return {name: _value(text) for name, text in pairs}


def _value(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    if re.fullmatch(r"-?[0-9]+(/[0-9]+|\.[0-9]+)", text):
        return Fraction(text)
    return text


@dataclass(frozen=True)
class Property:
    """What is known about one property."""

    name: str
    kind: str
    """`invariant`, `unreachable` or `ctl`."""
    verdict: Verdict
    reason: Optional[str]
    """Why the verdict is unknown, in a few words, such as `timeout`."""
    reached: str
    """What was found out although the verdict is unknown."""
    engine: str
    seconds: float
    certified: bool
    """Whether the evidence passed the independent checker, with nothing trusted besides."""
    trace: Optional[Trace] = field(repr=False)
    """A run that violates the property."""
    invariants: List[Invariants] = field(repr=False)
    """What proves it, for people to read."""
    certificate: Optional[str] = field(repr=False)
    """The evidence, for `certify`."""
    statistics: Dict[str, int] = field(repr=False)
    warnings: List[ModelWarning]


@dataclass(frozen=True)
class Outcome:
    """What came out of a check."""

    verdict: Verdict
    """About all properties together: violated if one is, else unknown if one is."""
    properties: List[Property]
    certificate: Optional[str] = field(repr=False)
    """The evidence for all verdicts, in one text; None if everything is unknown."""
    warnings: List[ModelWarning]

    def __getitem__(self, name: str) -> Property:
        """The property of this name."""
        for found in self.properties:
            if found.name == name:
                return found
        raise KeyError(name)

    @property
    def trace(self) -> Optional[Trace]:
        """The run of the first violated property that has one."""
        violated = (p for p in self.properties if p.verdict is Verdict.VIOLATED)
        return next((p.trace for p in violated if p.trace is not None), None)


@dataclass(frozen=True)
class Judgement:
    """What the checker says of one claim of a certificate."""

    property: str
    claim: Verdict
    judged: str
    """`accepted`, `refused`, `undecided` or `failed`."""
    obligations: Optional[int]
    """How many obligations an accepted claim had."""
    obligation: Optional[str]
    """The first obligation that does not hold."""
    because: Optional[str]
    """How that is seen."""


@dataclass(frozen=True)
class Differing:
    """A parameter that has another value in a certificate than in the model."""

    name: str
    certificate: str
    model: Optional[str]


@dataclass(frozen=True)
class Certification:
    """What the checker says of a certificate."""

    accepted: bool
    """Whether it claims something, and everything that it claims was shown."""
    judgements: List[Judgement]
    differing: List[Differing]
    """Parameters with other values: then the certificate is refused as a whole."""

    def verdict_of(self, name: str) -> Verdict:
        """What the certificate shows about a property: unknown unless a claim about it was accepted."""
        for judgement in self.judgements:
            if judgement.property == name and judgement.judged == "accepted":
                return judgement.claim
        return Verdict.UNKNOWN


_ERRORS = {"input": InputError, "request": RequestError}


def raise_for_error(document: Dict[str, Any]) -> None:
    """Raises what a result without a result says."""
    if "error" in document:
        raise _ERRORS.get(document["error"], InternalError)(document["message"])


def outcome(document: Dict[str, Any]) -> Outcome:
    """The result of a check."""
    return Outcome(
        verdict=Verdict(document["verdict"]),
        properties=[_property(p) for p in document["properties"]],
        certificate=document["certificate"],
        warnings=_warnings(document),
    )


def _property(document: Dict[str, Any]) -> Property:
    trace = document["trace"]
    changed = {
        "verdict": Verdict(document["verdict"]),
        "trace": Trace(trace) if trace is not None else None,
        "invariants": [Invariants(**i) for i in document["invariants"]],
        "warnings": _warnings(document),
    }
    return Property(**{**document, **changed})


def _warnings(document: Dict[str, Any]) -> List[ModelWarning]:
    return [ModelWarning(**w) for w in document["warnings"]]


def certification(document: Dict[str, Any]) -> Certification:
    """The result of checking a certificate."""
    return Certification(
        accepted=document["accepted"],
        judgements=[
            Judgement(**{**j, "claim": Verdict(j["claim"])}) for j in document["judgements"]
        ],
        differing=[Differing(**d) for d in document["differing"]],
    )
