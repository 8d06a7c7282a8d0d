"""What there is to call."""

import json
from os import PathLike, fspath
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Union

from . import _results, _sectile
from ._results import Certification, Outcome, RequestError

_DETAILS = ("progress", "steps", "pictures")

_ENDINGS = {"sct": "sct", "imp": "imp", "bpl": "boogie", "smt2": "chc", "vmt": "vmt"}


def check(
    text: str,
    language: str = "sct",
    timeout: Optional[float] = None,
    *,
    properties: Union[str, Iterable[str]] = (),
    engines: Union[str, Iterable[str]] = (),
    define: Optional[Mapping[str, object]] = None,
    predicates: Union[str, Iterable[str]] = (),
    settings: Optional[Mapping[str, object]] = None,
    memory: Optional[int] = None,
    jobs: int = 1,
    seed: int = 0,
    solver: str = "native",
    short_proofs: bool = True,
    termination: bool = False,
    infinite_paths: bool = False,
    name: str = "<text>",
    on_event: Optional[Callable[[Dict[str, Any]], object]] = None,
    detail: str = "progress",
) -> Outcome:
    """Checks the properties of a model.

    The interpreter lock is released while it works, and Ctrl-C ends it with KeyboardInterrupt.

    timeout: seconds for each property. What is not decided by then is unknown. A text that is not even
        read by then raises TimeoutError.
    properties, engines: names; all, and those that suit the model, if there are none.
    define: values of parameters of the model.
    predicates: conditions that engines should try first.
    settings: options of engines, as `sectile engines` lists them.
    memory: bytes that the whole process may use.
    jobs: how many engines work at the same time.
    termination: the only property is that all runs end.
    name: what the text is called in messages.
    on_event: is called with a dictionary for everything that happens (schemas/events.schema.json), on
        the thread that called. If it raises an exception, the check ends with it.
    detail: how much it hears: "progress", "steps" or "pictures".
    """
    if detail not in _DETAILS:
        raise RequestError(f"detail is one of {', '.join(_DETAILS)}, not {detail!r}")
    request = {
        "properties": _names(properties),
        "engines": _names(engines),
        # Python writes truth values with capitals.
        "settings": [
            (n, str(v).lower() if isinstance(v, bool) else str(v)) for n, v in (settings or {}).items()
        ],
        "predicates": _names(predicates),
        "jobs": jobs,
        "seed": seed,
        "short_proofs": short_proofs,
        "detail": detail,
    }
    heard = None if on_event is None else lambda line: on_event(json.loads(line))
    source = _source(text, language, name, define, termination, infinite_paths)
    answer = json.loads(_sectile.check(source, _limits(timeout, memory, solver), request, heard))
    _results.raise_for_error(answer)
    return _results.outcome(answer)


def check_file(path: "Union[str, PathLike[str]]", timeout: Optional[float] = None, **options: Any) -> Outcome:
    """Checks the properties of a file, in the language that its ending names, with the options of `check`."""
    file = fspath(path)
    ending = file.rpartition(".")[2]
    if "language" not in options and ending not in _ENDINGS:
        known = ", ".join("." + e for e in _ENDINGS)
        raise RequestError(f"the language of {file!r} is not known; there are {known}")
    options.setdefault("language", _ENDINGS.get(ending))
    options.setdefault("name", file)
    with open(file, encoding="utf-8") as model:
        return check(model.read(), timeout=timeout, **options)


def certify(
    text: str,
    certificate: str,
    language: str = "sct",
    timeout: Optional[float] = None,
    *,
    define: Optional[Mapping[str, object]] = None,
    memory: Optional[int] = None,
    solver: str = "native",
    termination: bool = False,
    infinite_paths: bool = False,
    name: str = "<text>",
) -> Certification:
    """Checks a certificate against the text of a model, trusting nothing that made it."""
    source = _source(text, language, name, define, termination, infinite_paths)
    answer = json.loads(_sectile.certify(source, _limits(timeout, memory, solver), certificate))
    _results.raise_for_error(answer)
    return _results.certification(answer)


def _source(
    text: str,
    language: str,
    name: str,
    define: Optional[Mapping[str, object]],
    termination: bool,
    infinite_paths: bool,
) -> Dict[str, Any]:
    return {
        "text": text,
        "language": language,
        "name": name,
        # Parameters of models are numbers.
        "define": [(n, str(int(v) if isinstance(v, bool) else v)) for n, v in (define or {}).items()],
        "termination": termination,
        "infinite_paths": infinite_paths,
    }


def _limits(timeout: Optional[float], memory: Optional[int], solver: str) -> Dict[str, Any]:
    if timeout is not None and not timeout >= 0:
        raise RequestError(f"timeout is a number of seconds, not {timeout!r}")
    return {"timeout": timeout, "memory": memory, "solver": solver}


def _names(given: Union[str, Iterable[str]]) -> List[str]:
    return [given] if isinstance(given, str) else list(given)
