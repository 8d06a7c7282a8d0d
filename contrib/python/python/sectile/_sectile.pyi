"""The insides: requests as dictionaries in, results as JSON out."""

from typing import Any, Callable, Dict, Optional

def check(
    source: Dict[str, Any],
    limits: Dict[str, Any],
    request: Dict[str, Any],
    on_event: Optional[Callable[[str], object]],
) -> str: ...
def certify(source: Dict[str, Any], limits: Dict[str, Any], certificate: str) -> str: ...
