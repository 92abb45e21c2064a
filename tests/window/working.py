"""Chapters about editing a level: entities, checks, pickups, floors, textures, rooms."""

from __future__ import annotations

from .blender import StepError
from .looking import press_eye
from .moments import find_culprit
from .walk import CORRIDOR, ENEMY, HALL, Walk, chapter, expect

_CLICK = 0.5  # meters by which floors are raised
_MOST_IN_THE_WAY = 6  # maximum number of faces between the eye and a floor
_PLACE = (74, 49, 0)  # outside the end of the corridor


@chapter
def entity(walk: Walk) -> None:
    """Select an entity, open its model, return; move, duplicate, undo and redo."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    walk.select_enemy()
    blender.in_sidebar("Entity")
    blender.shot("entity")
    blender.press("Edit Model")
    state = blender.wait("Its model is shown alone", lambda state: state["views"][0]["local"])
    expect("A mesh of the model is active", state["kind"] == "MODEL_MESH")
    blender.shot("edit-model")
    blender.press("Back to Level")
    blender.wait("The enemy is active again", lambda state: state["selected"] == [ENEMY])
    expect("The level is shown", not blender.state()["views"][0]["local"])
    blender.shot("back-to-level")

    before = blender.state()["objects"]
    blender.hover("VIEW_3D", "WINDOW")
    screen.key("shift+d", "x")
    screen.type("2")
    screen.key("Return")
    blender.wait("Shift+D adds another enemy", lambda state: state["objects"] == before + 1)
    blender.shot("duplicated")
    screen.key("ctrl+z")
    # Moving is a separate undo step.
    blender.still()
    if blender.state()["objects"] != before:
        screen.key("ctrl+z")
    blender.wait("Ctrl+Z takes it back", lambda state: state["objects"] == before)
    screen.key("ctrl+shift+z")
    blender.wait("Ctrl+Shift+Z brings it again", lambda state: state["objects"] == before + 1)
    screen.key("ctrl+shift+z")  # that it is new is a step of its own
    blender.still()
    state = blender.state()
    blender.in_sidebar("Select Entities of This Model")
    # The sidebar says so in letters too pale to be found.
    expect("It is new, not in the imported file", state["new"])
    blender.shot("redone")


@chapter
def check(walk: Walk) -> None:
    """Break something, check the level, and click the finding."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    walk.select_enemy()
    blender.hover("VIEW_3D", "WINDOW")
    screen.key("g", "z")
    screen.type("50")
    screen.key("Return")
    blender.wait("G moves the enemy", lambda _: blender.obj(ENEMY)["place"][2] > 49)
    screen.key("alt+a")
    blender.wait("Nothing is selected", lambda state: not state["selected"])
    blender.press("Check Level")
    blender.still()
    find_culprit(walk, ENEMY)
    blender.shot("culprit")


@chapter
def pickup(walk: Walk) -> None:
    """Add a pickup by *Shift+A*, and an entity by searching for its name."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    start = blender.state()
    before = set(start["names"])
    screen.click(blender.floors(HALL)[0][1], held="shift", button=3)
    blender.wait(
        "Shift and the right mouse button put the 3D cursor there",
        lambda state: state["cursor"] != start["cursor"],
    )
    _add(walk, "Pickup…")  # the made-up level has one, so there is nothing to choose
    state = blender.wait("A pickup is added", lambda state: len(set(state["names"]) - before) == 1)
    expect("It is active", state["active"] in set(state["names"]) - before)
    expect("It is an entity", state["kind"] == "ENTITY")
    blender.shot("pickup")
    before = set(state["names"])
    _add(walk, "Entity…")
    blender.still()
    screen.type("wolf")
    blender.shot("add-entity")
    screen.key("Return")
    state = blender.wait("An entity is added", lambda state: len(set(state["names"]) - before) == 1)
    expect("It is what was searched", state["active"] not in before and "Wolf" in state["active"])
    blender.shot("added-entity")


@chapter
def floor(walk: Walk) -> None:
    """Raise a sector of the floor."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    collision = f"{HALL} Collision"
    press_eye(walk, "Collision")
    blender.wait("Collision is shown", lambda _: blender.obj(collision)["visible"])
    blender.still()
    _select_floor(walk, collision)
    before = _heights(walk, collision)
    blender.shot("floor")
    blender.press("Raise")
    blender.wait("The floor moves", lambda _: _heights(walk, collision) != before)
    rises = [new - old for old, new in zip(before, _heights(walk, collision), strict=True) if new != old]
    expect(
        "Four corners rise by a click", len(rises) == 4 and all(abs(rise - _CLICK) < 0.01 for rise in rises)
    )
    blender.shot("floor-raised")
    blender.hover_view()
    screen.key("ctrl+z")
    blender.wait("Ctrl+Z takes it back", lambda _: _heights(walk, collision) == before)


@chapter
def texture(walk: Walk) -> None:
    """Replace a floor's texture by a picture."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    face = _select_floor(walk, HALL)
    before = blender.ask("texel", name=HALL, face=face)
    expect("The floor is not red", before[0] < 0.8)
    blender.in_sidebar("Replace…")
    blender.shot("faces")
    blender.press("Replace…")
    walk.browse(walk.levels / "red.png", "Replace Texture")
    blender.wait("The floor is red", lambda _: blender.ask("texel", name=HALL, face=face)[0] > 0.8)
    blender.shot("replaced")
    blender.hover_view()
    screen.key("ctrl+z")
    blender.wait("Ctrl+Z takes it back", lambda _: blender.ask("texel", name=HALL, face=face) == before)
    blender.shot("replaced-undone")


@chapter
def rooms(walk: Walk) -> None:
    """Add a room at the end of the corridor, and connect both."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    before = blender.state()["names"]
    left, top, width, height = blender.area("VIEW_3D", "UI")
    screen.click((left + width - 10, top + 115))  # tabs are written sideways; this is the third one, View
    blender.wait("A click opens the tab View", lambda state: state["views"][0]["tab"] == "View")
    blender.still()
    _, title = blender.in_sidebar("3D Cursor")
    field = min(
        (y for _, y in blender.words("X", (left, title, width, height)) if y > title), default=title + 50
    )
    screen.double_click((left + width // 2, field))
    for number in _PLACE:
        screen.key("ctrl+a")
        screen.type(str(number))
        screen.key("Return" if number == _PLACE[-1] else "Tab")
    blender.wait("The 3D cursor is there", lambda state: tuple(map(round, state["cursor"])) == _PLACE)
    _add(walk, "Room")
    state = blender.wait(
        "A room is added", lambda state: state["kind"] == "ROOM" and state["active"] not in before
    )
    screen.click((left + width - 10, top + 180))
    blender.shot("room")
    both = sorted([state["active"], CORRIDOR])
    blender.click_floor(CORRIDOR, "shift", lambda state: set(both) <= set(state["selected"]))
    expect("A click with Shift selects both", blender.state()["selected"] == both)
    blender.press("Connect Rooms")
    blender.wait(
        "There is a portal each way, and one for the corridor's alternate",
        lambda state: _portals(state["names"]) == _portals(before) + 3,
    )
    blender.shot("connected")


def _select_floor(walk: Walk, name: str) -> int:
    """Select one floor face of a mesh in edit mode; return its index."""
    blender, screen = walk.blender, walk.screen
    blender.click_floor(name)
    blender.hover_view()
    screen.key("Tab")
    blender.wait("Tab leads to edit mode", lambda state: state["mode"] == "EDIT")
    screen.key("3", "alt+a")
    blender.still()
    face, place = blender.floors(name)[0]
    for _ in range(_MOST_IN_THE_WAY):
        screen.click(place)
        blender.still(5)
        chosen = blender.obj(name)["selected_faces"]
        if chosen == [face]:
            return face
        # Blender does not draw faces that face away, but clicks select them.
        expect("A click selects a face", len(chosen) == 1)
        screen.key("h")
        blender.still(5)
    raise StepError("A click on the floor does not select it, nor once what is in the way is hidden")


def _portals(names: list[str]) -> int:
    return sum(name.startswith("Portal") for name in names)


def _heights(walk: Walk, name: str) -> list[float]:
    return [vertex[2] for vertex in walk.blender.obj(name)["vertices"]]


def _add(walk: Walk, what: str) -> None:
    """Choose an entry of *Add > Tomb Raider*."""
    blender, screen = walk.blender, walk.screen
    view = left, top, width, height = blender.open_view()
    screen.move((left + width // 3, top + height // 3))
    screen.key("shift+a")
    blender.find("Armature", view)
    blender.still()
    blender.click("Tomb Raider", view)
    blender.find("Trigger", view)
    blender.still()
    blender.click(what, view)
