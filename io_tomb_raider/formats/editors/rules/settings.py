"""Rules of the textures and other files of projects."""

from __future__ import annotations

from collections.abc import Iterable

from ...base.messages import N_
from ...edits.rules.rule import Harm
from ..projects.model.settings import NO_TEXTURE
from .view import ALL_TARGETS, CheckedProject, rule


def _repeated(numbers: Iterable[int]) -> list[int]:
    """Return the numbers that were there before, once for each time."""
    seen: set[int] = set()
    result = []
    for number in numbers:
        if number in seen:
            result.append(number)
        seen.add(number)
    return result


def _textures(checked: CheckedProject) -> list[int]:
    return _repeated(each.number for each in checked.project.settings.textures)


def _models(checked: CheckedProject) -> list[int]:
    return _repeated(each.number for each in checked.project.settings.imported_geometries)


def _event_sets(checked: CheckedProject) -> list[int]:
    settings = checked.project.settings
    lists = settings.global_event_sets, settings.volume_event_sets
    return [number for sets in lists for number in _repeated(each.number for each in sets)]


def _frames(checked: CheckedProject) -> list[int]:
    settings = checked.project.settings
    numbers = {NO_TEXTURE, *(each.number for each in settings.textures)}
    return [
        frame.texture
        for each in settings.animated_sets
        for frame in each.frames
        if frame.texture not in numbers
    ]


RULES = (
    rule(
        "numbers of textures",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor drops {count} textures: others have their numbers"),
        _textures,
    ),
    rule(
        "numbers of imported geometry",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor drops {count} models of imported geometry: others have their numbers"),
        _models,
    ),
    rule(
        "numbers of event sets",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor drops {count} event sets: others have their numbers"),
        _event_sets,
    ),
    rule(
        "frames of animated textures",
        Harm.MISSING,
        ALL_TARGETS,
        N_("Tomb Editor drops {count} frames of animated textures: their textures do not exist"),
        _frames,
    ),
)
