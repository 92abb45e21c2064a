"""What an import or export has to tell the user."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Report:
    """Warnings, and what an export rebuilt.

    Attributes:
        warnings: plain sentences, each naming the object; the same one is kept once.
        rebuilt: for every section of the file that was not written as it was read, how many of its
            elements differ.
    """

    warnings: list[str] = field(default_factory=list)
    rebuilt: Counter[str] = field(default_factory=Counter)

    def warn(self, subject: str, text: str) -> None:
        message = f"{subject}: {text}"
        if message not in self.warnings:
            self.warnings.append(message)

    def count(self, section: str, elements: int = 1) -> None:
        """Note that elements of a section were rebuilt."""
        if elements:
            self.rebuilt[section] += elements

    def summary(self) -> str:
        """Return one line that says what was rebuilt."""
        if not self.rebuilt:
            return "nothing was changed"
        return ", ".join(f"{section}: {count}" for section, count in self.rebuilt.items())
