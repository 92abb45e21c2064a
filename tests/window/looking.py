"""Looking around: the sidebar, the eyes, workspaces and shading."""

from __future__ import annotations

from .walk import HALL, Walk, chapter, expect

WORKSPACES = ("Modeling", "UV Editing", "Texture Paint", "Shading", "Animation")
# Software rendering compiles shaders for minutes.
_PATIENCE = 300


@chapter
def sidebar(walk: Walk) -> None:
    """Close and open the sidebar, and open and close the eyes of what is seen."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    blender.hover("VIEW_3D", "WINDOW")
    screen.key("n")
    blender.wait("N closes the sidebar", lambda state: not state["views"][0]["sidebar"])
    screen.key("n")
    blender.wait("N opens its tab again", lambda state: state["views"][0]["tab"] == "Tomb Raider")
    for eye, name in (("Triggers", "Trigger 1"), ("Collision", f"{HALL} Collision")):
        expect(f"{eye} is hidden at first", not blender.thing(name)["visible"])
        blender.press(eye)
        blender.wait(f"{eye} is shown", lambda _, name=name: blender.thing(name)["visible"])
        blender.shot(f"eye-{eye.lower()}")
        blender.press(eye)
        blender.wait(f"{eye} is hidden again", lambda _, name=name: not blender.thing(name)["visible"])
    blender.press("Ceilings")
    blender.wait("Ceilings are shown", lambda state: not state["views"][0]["culling"])
    blender.press("Ceilings")
    blender.wait("Ceilings are left out", lambda state: state["views"][0]["culling"])
    blender.press("Rooms")
    blender.wait("Rooms are hidden", lambda _: not blender.thing(HALL)["visible"])
    blender.shot("eye-rooms")
    blender.press("Rooms")
    blender.wait("Rooms are shown", lambda _: blender.thing(HALL)["visible"])


@chapter
def workspaces(walk: Walk) -> None:
    """Walk through Blender's workspaces with a room active."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    _click_room(walk)
    width = screen.middle[0] * 2
    for name in WORKSPACES:
        blender.click(name, (0, 0, width, 30))
        blender.wait(f"The workspace {name} opens", lambda state, name=name: state["workspace"] == name, 120)
        blender.still(60)
        state = blender.state()
        for view in state["views"]:
            expect(f"The level is as near in {name}", 5 < view["distance"] < 200)
            expect(f"Ceilings are left out in {name}", view["culling"])
        blender.shot(f"workspace-{name.lower().replace(' ', '-')}")
    blender.click("Layout", (0, 0, width, 30))
    blender.wait("The workspace Layout opens again", lambda state: state["workspace"] == "Layout")


@chapter
def shading(walk: Walk) -> None:
    """Look at the level in each mode of shading, by the pie menu of Z."""
    blender, screen = walk.blender, walk.screen
    walk.open_level(walk.level)
    for label, kind in (("Material Preview", "MATERIAL"), ("Rendered", "RENDERED"), ("Solid", "SOLID")):
        left, top, width, height = blender.open_view()
        screen.move((left + width // 2, top + height // 2))
        screen.key("z")
        blender.still()
        blender.click(label, (left, top, width, height))
        blender.wait(
            f"The view is {label}", lambda state, kind=kind: state["views"][0]["shading"] == kind, _PATIENCE
        )
        screen.move((screen.middle[0], 3))
        blender.still(_PATIENCE)
        blender.shot(f"shading-{label.lower().replace(' ', '-')}")


def _click_room(walk: Walk) -> None:
    """Make a room active by a click on its floor."""
    _, place = walk.blender.floor_face(HALL)
    walk.screen.click(place)
    walk.blender.wait("A click makes the room active", lambda state: state["active"] == HALL)
