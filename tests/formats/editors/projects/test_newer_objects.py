"""Tests of objects in chunks of newer editors: with properties in Lua, and in chunks with unknown names."""

from __future__ import annotations

from dataclasses import replace
from struct import pack
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.base.targets import PROJECT_TARGETS, Target
from io_tomb_raider.formats.editors.projects.compile.plan.plan import TARGETS, target_of
from io_tomb_raider.formats.editors.projects.model.objects import (
    Light,
    Moveable,
    PlacedObject,
    Positioned,
    ProjectTrigger,
    Sink,
    Static,
    UnknownObject,
)
from io_tomb_raider.formats.editors.projects.model.prj2 import version_of
from io_tomb_raider.formats.editors.projects.model.project import Project, read_project
from io_tomb_raider.formats.editors.projects.model.settings import GameVersion, Settings
from io_tomb_raider.formats.editors.projects.model.usable import usable_project
from io_tomb_raider.formats.editors.rules.rules import check_project

from ....sample_projects import box_room, floats, old_room, project_file, sample_project
from ....wad2_samples import leaf, leb, node

pytestmark = pytest.mark.once

PLACE = (512.0, 256.0, 1536.0)
MOVEABLE = (
    leb(7)
    + floats(*PLACE, 90, 10, 5)
    + leb(-1)
    + pack("<IhBBB", 34, -2, 1, 0, 31)
    + floats(1, 0.5, 2)
    + pack("<i", 4)
    + b"Wolf"
)
STATIC = (
    leb(8) + floats(*PLACE, 45, 0, 0, 1.5) + leb(-1) + pack("<I", 12) + floats(1, 1, 1) + pack("<hi", 3, 0)
)
WOLF = Moveable(
    *(7, PLACE, -1, "Wolf", 34, 90.0, 10.0, 5.0, -2, True, False, 31, (1.0, 0.5, 2.0)), (("hp", "5"),)
)
ARCH = Static(8, PLACE, -1, "", 12, 45.0, 0.0, 0.0, 1.5, 3, properties=(("a", ""), ("ö", '"x"')))


def text(content: str) -> bytes:
    """Return a text after its length."""
    return pack("<i", len(content.encode())) + content.encode()


def packed(*pairs: tuple[str, str]) -> bytes:
    """Return properties."""
    return pack("<i", len(pairs)) + b"".join(map(text, (each for pair in pairs for each in pair)))


def project_of(*objects: bytes, version: int = GameVersion.TOMB_ENGINE) -> bytes:
    """Return a project with objects in one room."""
    settings = node("TeSettings", leaf("TeGameVersion", leb(version)), width=10)
    return project_file(settings, node("TeRooms", old_room(0, objects=objects), width=10))


def read(*objects: bytes, version: int = GameVersion.TOMB_ENGINE) -> tuple[Project, list[PlacedObject]]:
    """Return a project with objects, which it is written with again, and what they are."""
    data = project_of(*objects, version=version)
    project = read_project(data)
    assert project.to_bytes() == data
    return project, project.rooms[0].objects


# --- Properties in Lua -------------------------------------------------------------------------


def test_objects_with_properties_are_those_of_today_with_a_list() -> None:
    chunks = (
        leaf("TeMovTn3", MOVEABLE + packed(("hp", "5")), 2),
        leaf("TeStaTn3", STATIC + packed(("a", ""), ("ö", '"x"')), 2),
    )
    project, objects = read(*chunks)
    assert objects == [WOLF, ARCH] and not project.problems
    new = Project(Settings(game_version=GameVersion.TOMB_ENGINE), [box_room(0, 0, 0)])
    new.rooms[0].objects = [replace(WOLF), replace(ARCH)]
    assert all(chunk in new.to_bytes() for chunk in chunks)


@pytest.mark.parametrize("target", [GameVersion.TOMB_ENGINE, GameVersion.TR2X])
def test_properties_decide_the_form_of_an_object(target: GameVersion) -> None:
    """Older editors do not know the newer form, so objects without properties keep theirs."""
    project = Project(Settings(game_version=target), [box_room(0, 0, 0)])
    project.rooms[0].objects = [replace(WOLF, properties=())]
    assert b"Tn3" not in project.to_bytes()
    read = read_project(project.to_bytes())
    read.rooms[0].objects[0].properties = (("x", "true"),)
    again = read_project(read.to_bytes())
    assert again.rooms[0].objects[0].properties == (("x", "true"),)
    again.rooms[0].objects[0].properties = ()
    assert again.to_bytes().count(b"TeMovTn3") == 1  # as the editor writes all objects


pairs = st.lists(st.tuples(st.text(max_size=40), st.text(max_size=200)), max_size=6).map(tuple)


@given(pairs, pairs)
def test_all_properties_survive_new_and_as_changes(first: Any, second: Any) -> None:
    settings = Settings(game_version=GameVersion.TOMB_ENGINE)
    objects: list[PlacedObject] = [replace(WOLF, properties=first), replace(ARCH, properties=first)]
    project = Project(settings, [replace(box_room(0, 0, 0, size=(3, 3)), objects=objects)])
    data = project.to_bytes()
    read = read_project(data)
    assert read.rooms[0].objects == objects and read.to_bytes() == data
    for each in read.rooms[0].objects:
        each.properties = second
    assert [each.properties for _, each in read_project(read.to_bytes()).objects()] == [second] * 2


@pytest.mark.parametrize("content", [pack("<i", -1), pack("<i", 9), pack("<ii", 1, -5), b"\1\0"])
def test_damaged_properties_are_named_and_stay(content: bytes) -> None:
    project, objects = read(leaf("TeMovTn3", MOVEABLE + content, 2))
    assert objects == [] and "TeMovTn3" in project.problems[0]


# --- Unknown names -----------------------------------------------------------------------------


@pytest.mark.parametrize("version", [GameVersion.TOMB_ENGINE, GameVersion.TR4])
@pytest.mark.parametrize("rest", [b"", b"\x07new\xff", floats(0.25, 1e30)])
def test_an_unknown_form_is_read_as_the_form_that_it_begins_with(version: GameVersion, rest: bytes) -> None:
    body = MOVEABLE + packed(("hp", "5")) + rest
    project, (wolf,) = read(leaf("TeMovTn4", body, 2), version=version)
    assert wolf == WOLF
    assert project.content.unknown == {("TeMovTn4", Moveable): 1}
    wolf.position = (0.0, 1.0, 2.0)
    wolf.properties = (("hp", "6"), ("x", "{}"))
    moved = leb(7) + floats(0, 1, 2) + MOVEABLE[13:] + packed(("hp", "6"), ("x", "{}")) + rest
    assert leaf("TeMovTn4", moved, 2) in project.to_bytes()


def test_unknown_forms_are_those_of_the_target() -> None:
    other = leb(3) + floats(*PLACE, 45) + leb(20) + pack("<IhBBB", 34, 9, 1, 0, 31) + floats(1, 1, 1)
    for version in (GameVersion.TR4, GameVersion.TRNG, 13):
        _, (each,) = read(leaf("TeMov5", other + b"more", 2), version=version)
        assert each == Moveable(3, PLACE, 20, slot=34, y=45.0, ocb=9, invisible=True, code_bits=31)
    current = leb(3) + floats(*PLACE) + leb(-1) + pack("<h", 5) + text("Flow")
    for version, name in ((GameVersion.TOMB_ENGINE, "Flow"), (GameVersion.TR4, "")):
        _, (each,) = read(leaf("TeSin9", current, 2), version=version)
        assert each == Sink(3, PLACE, lua_name=name, strength=5)
    trigger = leb(4) + leb(1) * 4 + leaf("TeTy", leb(2)) + leaf("TeNewest", b"1") + b"\0"
    _, (each,) = read(leaf("TeTri4", trigger, 2))
    assert each == ProjectTrigger(4, (1, 1, 1, 1), type=2)


def test_properties_that_an_unknown_form_has_no_place_for_are_refused() -> None:
    project, (wolf,) = read(leaf("TeMovTenX", MOVEABLE + b"\xff\xff", 2))
    assert wolf == replace(WOLF, properties=())
    wolf.properties = (("hp", "6"),)
    with pytest.raises(ExportError, match="Moveable 7: objects of the unknown form TeMovTenX"):
        project.to_bytes()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("TeMovTn4", MOVEABLE[:13]),  # it ends too early
        ("TeMovTn4", leb(7) + floats(*PLACE) + b"\x05" + MOVEABLE[13:]),  # something else is in between
        ("TeMov5", MOVEABLE.replace(pack("<I", 34), pack("<I", 1 << 20))),  # no slot has this number
        ("TeMovTn4", MOVEABLE.replace(b"\1\0\x1f", b"\7\0\x1f")),  # a mark is neither on nor off
        ("TeLantern", leb(7) + floats(*PLACE)),
    ],
)
def test_other_objects_have_a_number_and_a_position(name: str, body: bytes) -> None:
    project, (each,) = read(leaf(name, body, 2))
    assert each == UnknownObject(7, PLACE)
    each.position = (1.0, 2.0, 3.0)
    assert leaf(name, leb(7) + floats(1, 2, 3) + body[13:], 2) in project.to_bytes()
    project.rooms[0].objects.clear()
    assert name.encode() not in project.to_bytes()


@pytest.mark.parametrize(
    "body", [b"", b"\1\2\3", leb(5) + floats(1, float("nan"), 0), leb(-4) + floats(1, 2, 3)]
)
def test_what_begins_as_no_object_is_counted(body: bytes) -> None:
    project, objects = read(leaf("TeLantern", body, 2), leaf("TeLantern", body, 2))
    assert objects == [] and project.content.unknown == {("TeLantern", UnknownObject): 2}
    project.rooms[0].objects.append(Light(3, PLACE))
    assert project.to_bytes().count(b"TeLantern") == 2


@given(
    st.sampled_from(("TeMovTn4", "TeSta9", "TeLig6", "TeTri4", "TeVolume5", "TeX")), st.binary(max_size=90)
)
def test_any_content_of_unknown_chunks_stays(name: str, body: bytes) -> None:
    project, objects = read(leaf(name, body, 2))
    for each in objects:
        assert isinstance(each, Positioned | ProjectTrigger)
        if isinstance(each, Positioned):
            each.position = PLACE
    again = read_project(project.to_bytes())
    assert again.to_bytes() == project.to_bytes() and len(again.rooms[0].objects) == len(objects)


def test_unknown_objects_are_named_with_their_number() -> None:
    wolf, lantern = leaf("TeMovTn4", MOVEABLE, 2), leaf("TeLantern", leb(9) + floats(*PLACE), 2)
    project, _ = read(wolf, lantern, lantern)
    said: list[str] = []
    usable_project(project, said.append)
    assert said == [
        "2 objects of the unknown kind TeLantern are left out of the level, and stay in the project",
        "one object of the unknown form TeMovTn4 is read as a moveable, and its other values are kept",
    ]
    assert [each.text for each in check_project(project)][:2] == said


# --- Targets -----------------------------------------------------------------------------------


def test_every_target_with_a_number_has_a_name() -> None:
    assert [target_of(each) for each in GameVersion if each != GameVersion.TOMB_ENGINE] == [
        TARGETS[each.name] for each in GameVersion if each != GameVersion.TOMB_ENGINE
    ]
    assert target_of(GameVersion.TOMB_ENGINE) == TARGETS["TRNG"] and TARGETS["TRNG"].trng
    assert PROJECT_TARGETS["TR3X"] == (Game.TR3, Target.TRX) and not TARGETS["TR3X"].trng


@pytest.mark.parametrize("version", [0, 13, 17, 99])
def test_a_target_with_another_number_is_not_guessed(version: int) -> None:
    with pytest.raises(ExportError, match=f"number {version}, is not known"):
        target_of(version)
    project = sample_project()
    project.settings.game_version = version
    assert version_of(project.to_bytes()) == version
    assert read_project(project.to_bytes()).to_bytes() == project.to_bytes()
    (told,) = [each.text for each in check_project(project)]
    assert f"number {version}" in told
