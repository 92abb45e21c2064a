"""All rules of projects, and the check of a project by them."""

from __future__ import annotations

from collections.abc import Iterator

from ...levels.views.findings import THE_LEVEL, Finding, Severity
from ..projects.compile.plan.plan import unknown_target
from ..projects.model.project import Project
from ..projects.model.settings import GameVersion
from ..projects.model.usable import unknown_parts
from . import objects, portals, rooms, settings
from .view import CheckedProject, ProjectRule

RULES: tuple[ProjectRule, ...] = (*settings.RULES, *rooms.RULES, *portals.RULES, *objects.RULES)


def check_project(project: Project) -> Iterator[Finding]:
    """Find what Tomb Editor does not load or compile as it is, by the rules of the project's target.

    What only newer editors know is found, too.
    """
    texts = [*unknown_parts(project)]
    if project.settings.game_version not in list(GameVersion):
        texts.append(unknown_target(project.settings.game_version))
    for text in texts:
        yield Finding("editor: unknown parts", Severity.INFO, THE_LEVEL, text)
    checked = CheckedProject(project)
    for rule in sorted(RULES, key=lambda rule: -rule.harm):
        yield from rule.findings(checked)
