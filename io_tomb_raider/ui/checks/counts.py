"""Numbers of findings by severity, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ...formats.base import N_, T, Text, joined

_COUNTS = {
    "ERROR": (N_("{count} error"), N_("{count} errors")),
    "WARNING": (N_("{count} warning"), N_("{count} warnings")),
    "INFO": (N_("{count} note"), N_("{count} notes")),
}


def counts_in_words(severities: Iterable[str], nothing: str) -> str:
    """Return the numbers of findings by severity, such as "2 errors, 14 warnings", or a text for none."""
    counts = Counter(severities)
    texts = [
        Text(templates[counts[severity] != 1], {"count": counts[severity]})
        for severity, templates in _COUNTS.items()
        if counts[severity]
    ]
    return joined(", ", texts) if texts else nothing


def same_kind(findings: Any, number: int) -> list[int]:
    """Return the numbers of the findings of the same kind as one of them, which is included."""
    from ...scene.pipeline.checks import kinds_of

    return next(numbers for numbers in kinds_of(findings) if number in numbers)


def with_count(subject: str, count: int) -> str:
    """Return the subject of the first of several findings of one kind, and how many more there are."""
    return subject if count == 1 else T("{subject} and {count} more", subject=subject, count=count - 1)
