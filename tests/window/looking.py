"""Chapters about the view: the sidebar, visibility, workspaces and shading."""

from __future__ import annotations

from .levels_of_games import NAMES
from .walk import HALL, Walk, chapter, expect

WORKSPACES = ("Modeling", "UV Editing", "Texture Paint", "Shading", "Animation")
# seconds: software rendering compiles shaders for minutes
_PATIENCE = 300


@chapter
def sidebar(walk: Walk) -> None:
    """Close and open the sidebar, and toggle parts of the level."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    blender.hover("VIEW_3D", "WINDOW")
    screen.key("n")
    blender.wait("N closes the sidebar", lambda state: not state["views"][0]["sidebar"])
    screen.key("n")
    blender.wait("N opens its tab again", lambda state: state["views"][0]["tab"] == "Tomb Raider")
    for eye, name in (("Triggers", "Trigger 1"), ("Collision", f"{HALL} Collision")):
        expect(f"{eye} is hidden at first", not blender.obj(name)["visible"])
        press_eye(walk, eye)
        _wait_for(walk, name, shown=True)
        blender.shot(f"eye-{eye.lower()}")
        press_eye(walk, eye)
        _wait_for(walk, name, shown=False)
    press_eye(walk, "Ceilings")
    blender.wait("Ceilings are shown", lambda state: not state["views"][0]["culling"])
    press_eye(walk, "Ceilings")
    blender.wait("Ceilings are left out", lambda state: state["views"][0]["culling"])
    press_eye(walk, "Rooms")
    _wait_for(walk, HALL, shown=False)
    blender.shot("eye-rooms")
    press_eye(walk, "Rooms")
    _wait_for(walk, HALL, shown=True)


@chapter
def workspaces(walk: Walk) -> None:
    """Switch through Blender's workspaces with a room active."""
    blender = walk.blender
    walk.open_level(walk.level)
    blender.click_floor(HALL)
    for name in WORKSPACES:
        _open_workspace(walk, name)
        blender.still(60)
        state = blender.state()
        for view in state["views"]:
            expect(f"The level is as near in {name}", 1 < view["distance"] < 200)
            expect(f"Ceilings are left out in {name}", view["culling"])
        blender.shot(f"workspace-{name.lower().replace(' ', '-')}")
    _open_workspace(walk, "Layout")


@chapter
def shading(walk: Walk) -> None:
    """Show the level in each shading mode, by the pie menu of Z."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    for label, kind in (("Material Preview", "MATERIAL"), ("Rendered", "RENDERED"), ("Solid", "SOLID")):
        left, top, width, height = blender.open_view()
        screen.move((left + width // 2, top + height // 2))
        screen.key("z")
        blender.still()
        blender.click(label, (left, top, width, height))
        _wait_for_state(walk, "shading", kind)
        screen.move((screen.middle[0], 3))
        blender.still(_PATIENCE)
        blender.shot(f"shading-{label.lower().replace(' ', '-')}")


@chapter
def behind_lara(walk: Walk) -> None:
    """Look through the camera behind Lara."""
    walk.open_level(walk.levels / NAMES["TR4"])
    walk.press_icon("Behind Lara")
    walk.screen.move((walk.screen.middle[0], 3))
    walk.blender.still()
    walk.blender.shot("behind-lara")


def _open_workspace(walk: Walk, name: str) -> None:
    """Click the tab of a workspace. While another tab shows its tooltip, Blender may ignore a click."""
    screen = walk.screen
    for _ in range(3):
        screen.move((screen.middle[0], screen.middle[1]))
        walk.blender.still()
        walk.blender.click(name, (0, 0, 2 * screen.middle[0], 30))
        walk.blender.still(60)
        if walk.blender.state()["workspace"] == name:
            return
    _wait_for_state(walk, "workspace", name)


def press_eye(walk: Walk, label: str) -> None:
    """Press a toggle of *Visibility*: of the same words, that of the level, not of its library below."""
    places = walk.blender.words(label, walk.open_eyes())
    expect(f"{label} is in Visibility", places)
    walk.screen.click(min(places, key=lambda place: place[1]))
    walk.close_eyes()


def _wait_for(walk: Walk, name: str, *, shown: bool) -> None:
    """Wait until an object is shown, or hidden."""
    what = f"{name} is {'shown' if shown else 'hidden'}"
    walk.blender.wait(what, lambda _: walk.blender.obj(name)["visible"] == shown)


def _wait_for_state(walk: Walk, what: str, value: str) -> None:
    """Wait until Blender's window, or its first 3D view, has a value."""
    walk.blender.wait(
        f"The {what} is {value}",
        lambda state: value in (state.get(what), *(view.get(what) for view in state["views"])),
        _PATIENCE,
    )
