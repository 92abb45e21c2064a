"""All rules of projects, and the check of a project by them."""

from __future__ import annotations

from collections.abc import Iterator

from ...levels.views.findings import Finding
from ..projects.model.project import Project
from . import objects, portals, rooms, settings
from .view import CheckedProject, ProjectRule

RULES: tuple[ProjectRule, ...] = (*settings.RULES, *rooms.RULES, *portals.RULES, *objects.RULES)


def check_project(project: Project) -> Iterator[Finding]:
    """Find what Tomb Editor does not load or compile as it is, by the rules of the project's target."""
    checked = CheckedProject(project)
    for rule in sorted(RULES, key=lambda rule: -rule.harm):
        yield from rule.findings(checked)
