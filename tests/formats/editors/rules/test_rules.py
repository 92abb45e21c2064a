"""Tests of the rules of projects: what Tomb Editor drops, changes or cannot compile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from io_tomb_raider.formats import read_level
from io_tomb_raider.formats.editors.projects.from_level.from_level import project_of
from io_tomb_raider.formats.editors.projects.model.objects import (
    Direction,
    Light,
    Moveable,
    Parameter,
    ParameterKind,
    PlacedObject,
    Positioned,
    ProjectPortal,
    ProjectTrigger,
    Sink,
    Static,
)
from io_tomb_raider.formats.editors.projects.model.project import MOST_ROOMS, Project, read_project
from io_tomb_raider.formats.editors.projects.model.settings import EventSet, GameVersion
from io_tomb_raider.formats.editors.projects.model.shape import MOST_SPLITS, RoomShape
from io_tomb_raider.formats.editors.rules.rules import RULES, check_project
from io_tomb_raider.formats.editors.rules.view import ProjectRule
from io_tomb_raider.formats.edits.rules.rule import PREFIX, Harm
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.formats.levels.views.findings import THE_LEVEL, Finding, Severity
from tests.real_levels import each_real_level, real_projects
from tests.sample_levels import SAMPLES, named_sample
from tests.sample_projects import sample_project

_Kind = TypeVar("_Kind", bound=PlacedObject)
HALL, WATER, DRY, ABOVE = range(4)
NONE = Parameter(ParameterKind.NONE)
NUMBER, OBJECT = ParameterKind.NUMBER, ParameterKind.OBJECT


def _project(target: int = GameVersion.TRNG) -> Project:
    """Return a project that breaks no rule."""
    project = sample_project(target)
    objects = project.rooms[HALL].objects
    for place, obj in enumerate(objects):
        if isinstance(obj, Positioned):
            objects[place] = replace(obj, script_id=-1)
    project.rooms[HALL].objects = [
        replace(obj, extra=NONE) if isinstance(obj, ProjectTrigger) else obj
        for obj in objects
        if not isinstance(obj, ProjectTrigger) or obj.target_type == 0
    ]
    return project


def _first(project: Project, kind: type[_Kind], room: int = HALL) -> _Kind:
    return next(project.rooms[room].each(kind))


def _found(project: Project) -> dict[str, Finding]:
    return {each.check.removeprefix(PREFIX): each for each in check_project(project)}


def _set(kind: type[PlacedObject], place: int = HALL, /, **values: object) -> Callable[[Project], None]:
    """Return an edit of the first object of a kind."""

    def edit(project: Project) -> None:
        for name, value in values.items():
            setattr(_first(project, kind, place), name, value)

    return edit


def _set_room(place: int = HALL, /, **values: object) -> Callable[[Project], None]:
    def edit(project: Project) -> None:
        for name, value in values.items():
            setattr(project.rooms[place], name, value)

    return edit


def _add_portal(project: Project) -> None:
    project.rooms[HALL].objects.append(
        ProjectPortal(200, (5, 4, 5, 4), room=5, direction=Direction.POSITIVE_X)
    )


def _narrow(project: Project) -> None:
    project.rooms[HALL].shape = RoomShape.empty(2, 6)


def _many_rooms(project: Project) -> None:
    project.rooms += [replace(project.rooms[ABOVE], objects=[], number=6)] * (MOST_ROOMS - 3)


def _diagonal(project: Project) -> None:
    project.rooms[HALL].shape.floor.diagonal[2, 2] = 5


def _many_splits(project: Project) -> None:
    project.rooms[HALL].shape.ceiling.split_count[2, 2] = MOST_SPLITS + 1


def _crossed(project: Project) -> None:
    project.rooms[HALL].shape.floor.heights[2, 2, 1] = 8192


def _mix_splits(project: Project) -> None:
    project.rooms[HALL].shape.ceiling.splits[3, 3, 1] = 2048


def _face_texture(project: Project) -> None:
    project.rooms[HALL].shape.faces["texture"][0] = 9


def _face_area(project: Project) -> None:
    project.rooms[HALL].shape.faces["corners"][0] = ((0, 0), (64, 64), (0, 0), (64, 64))


def _same_texture(project: Project) -> None:
    project.settings.textures[1].number = 0


def _same_model(project: Project) -> None:
    project.settings.imported_geometries *= 2


def _same_event_set(project: Project) -> None:
    project.settings.volume_event_sets = [EventSet(3, "One"), EventSet(3, "Two")]


def _frame_texture(project: Project) -> None:
    frames = project.settings.animated_sets[0].frames
    frames[0] = replace(frames[0], texture=9)


def _share_flip(project: Project) -> None:
    project.rooms[ABOVE].alternate = (3, 2)


# An edit by the rule that it breaks.
EDITS: dict[str, Callable[[Project], None]] = {
    "numbers of textures": _same_texture,
    "numbers of imported geometry": _same_model,
    "numbers of event sets": _same_event_set,
    "frames of animated textures": _frame_texture,
    "number of rooms": _many_rooms,
    "least room": _narrow,
    "numbers of rooms": _set_room(ABOVE, number=MOST_ROOMS),
    "position of objects": _set(Moveable, position=(0.0, float("nan"), 0.0)),
    "alternate room missing": _set_room(WATER, alternate=(2, 77)),
    "alternate room shared": _share_flip,
    "alternate room of an alternate room": _set_room(DRY, alternate=(2, 5)),
    "place of alternate rooms": _set_room(DRY, x=15),
    "diagonal of a sector": _diagonal,
    "number of splits": _many_splits,
    "floor above ceiling": _crossed,
    "order of splits": _mix_splits,
    "textures of faces": _face_texture,
    "area of textures": _face_area,
    "portal outside": _set(ProjectPortal, area=(5, 1, 5, 6)),
    "overlapping portals": _add_portal,
    "portal without room": _set(ProjectPortal, room=77),
    "direction of a portal": _set(ProjectPortal, direction=6),
    "portal to its room": _set(ProjectPortal, WATER, room=2),
    "portal to alternate room": _set(ProjectPortal, room=2),
    "place of a portal": _set(ProjectPortal, area=(4, 1, 4, 4)),
    "portal without counterpart": _set(ProjectPortal, WATER, area=(0, 1, 0, 3)),
    "portal beside the other room": _set_room(WATER, x=30),
    "portals of a pair": _set(ProjectPortal, DRY, area=(0, 1, 0, 3)),
    "numbers of objects": _set(Light, number=0),
    "script ids": _set(Moveable, script_id=6000),
    "objects outside": _set(Moveable, position=(-1.0, 0.0, 0.0)),
    "sinks outside": _set(Sink, position=(0.0, 0.0, 6144.0)),
    "slots of objects": _set(Static, slot=0x10000),
    "types of lights": _set(Light, kind=6),
    "triggers on the border": _set(ProjectTrigger, area=(0, 0, 5, 0)),
    "kinds of triggers": _set(ProjectTrigger, target_type=16),
    "parameters of triggers": _set(ProjectTrigger, target=Parameter(OBJECT, 4711)),
}


@pytest.mark.parametrize("target", GameVersion)
def test_a_project_of_the_editor_breaks_no_rule(target: GameVersion) -> None:
    assert _found(_project(target)) == {}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_broken_rule_is_found_in_its_room(rule: ProjectRule) -> None:
    project = _project()
    EDITS[rule.name](project)
    finding = _found(project)[rule.name]
    assert finding.text.startswith("Tomb Editor")
    assert (finding.obj == THE_LEVEL) is (rule.kind == THE_LEVEL.kind)
    if finding.obj != THE_LEVEL:
        assert project.room(finding.obj.number) is not None


def test_script_ids_are_used_once_and_not_by_tomb_engine() -> None:
    for target, is_found in ((GameVersion.TR4, True), (GameVersion.TOMB_ENGINE, False)):
        project = _project(target)
        for kind in (Moveable, Static):
            _set(kind, script_id=7)(project)
        assert ("script ids" in _found(project)) is is_found


def _trigger(**values: object) -> Callable[[Project], None]:
    return _set(ProjectTrigger, **values)


@pytest.mark.parametrize(
    ("target", "effect", "timer", "extra", "is_compiled"),
    [
        (GameVersion.TRNG, 31, NUMBER, -1, False),  # has no timer
        (GameVersion.TRNG, 31, -1, -1, True),
        (GameVersion.TRNG, 48, NUMBER, NUMBER, True),  # has both
        (GameVersion.TRNG, 48, NUMBER, -1, False),
        (GameVersion.TR4, 48, NUMBER, -1, True),
        (GameVersion.TR3, 31, NUMBER, -1, True),  # of games without a list of flip effects
        (GameVersion.TR3, 31, -1, -1, False),
        (GameVersion.TOMB_ENGINE, 31, NUMBER, -1, True),
    ],
)
def test_flip_effects_have_the_parameters_of_the_editors_list(
    target: GameVersion, effect: int, timer: int, extra: int, is_compiled: bool
) -> None:
    project = _project(target)
    _trigger(target_type=9, target=Parameter(NUMBER, effect), timer=Parameter(timer), extra=Parameter(extra))(
        project
    )
    assert ("parameters of triggers" not in _found(project)) is is_compiled


def test_severities_are_those_of_the_harm() -> None:
    harms = {rule.name: rule.harm for rule in RULES}
    assert harms["overlapping portals"] is Harm.MISSING
    project = _project()
    _add_portal(project)
    assert _found(project)["overlapping portals"].severity is Severity.WARNING


def _level_project(content: bytes | Path) -> Project:
    level = read_level(content)
    made = project_of(Decoded(level), "made", "made", [f"Room{number}" for number in range(len(level.rooms))])
    return read_project(made.project.to_bytes())


def _lost(project: Project) -> list[str]:
    return [each.check for each in check_project(project) if each.severity is not Severity.INFO]


@pytest.mark.parametrize("sample", [name for name in SAMPLES if "textiles" not in name])
def test_projects_of_samples_break_no_rule(sample: str) -> None:
    assert _lost(_level_project(named_sample(sample))) == []


@each_real_level
def test_projects_of_real_levels_break_no_rule(level_path: Path) -> None:
    # Levels themselves have entities far outside of their rooms.
    assert set(_lost(_level_project(level_path))) <= {f"{PREFIX}objects outside"}


def test_real_projects_break_no_rule() -> None:
    paths = real_projects(".prj2")
    # A few have triggers that nothing compiles.
    known = {f"{PREFIX}kinds of triggers", f"{PREFIX}parameters of triggers"}
    for path in paths:
        assert set(_lost(read_project(path))) <= known, path.name


def test_heights_of_walls_do_not_count() -> None:
    project = _project()
    project.rooms[HALL].shape.floor.heights[4, 1] = 8192
    assert np.all(project.rooms[HALL].shape.wall[4, 1])
    assert _found(project) == {}
