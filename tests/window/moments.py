"""Chapters about what people see first and all day, on the example or on a level that is named.

The pictures of the documentation are taken here, too.
"""

from __future__ import annotations

from .animating import show_animation
from .looking import press_eye
from .screen import SIZE
from .texturing import enter_faces, last_tool
from .walk import Walk, chapter, expect

_GAME = "The Last Revelation"  # of the example
_BAT = "Bat 1"
_LEAST, _MOST = 0.15, 0.7  # of the view's height that Lara takes
_LEAST_POSED = 0.45  # that a model to be posed takes
_AWAY = 8  # meters, above the ceiling
_FIRST_ROW = 74  # pixels from a button above the findings to the first one


@chapter
def moments(walk: Walk) -> None:
    """Open a level, select a floor, edit it, its collision and Lara, and check: all is on one screen."""
    blender = walk.blender
    walk.new_file()
    if walk.is_chosen:
        walk.drop(walk.level)
    else:
        walk.open_example(_GAME)
    _leave(walk)
    lara = blender.state()["active"]
    _check_first_view(walk, lara)
    _expect_seen(walk, "Level", "Check Level", "Entity", "Edit Model", "Animate", "Animations")
    blender.shot("moment-first-view")
    room = blender.obj(lara)["room"]
    blender.click_floor(room, at=None)
    _leave(walk)
    _expect_seen(walk, "Level", "Room", "Isolate Collision")
    blender.shot("moment-room")
    _edit_faces(walk, room)
    _isolate(walk, f"{room} Collision")
    _animate(walk, lara)
    _check(walk)


def _check_first_view(walk: Walk, lara: str) -> None:
    """Raise StepError unless all of Lara is in the view, in a size to be looked at."""
    left, top, width, height = walk.blender.open_view()
    frame = walk.blender.ask("frame_of", name=lara, height=SIZE[1])
    expect("Lara is before the eye", frame)
    low, high = frame[:2], frame[2:]
    expect(f"Lara is in the view, not at {frame}", left < low[0] and high[0] < left + width)
    expect(f"From head to foot, not {frame}", top < low[1] and high[1] < top + height)
    part = (high[1] - low[1]) / height
    expect(f"She takes a part of its height, not {part:.2f}", _LEAST < part < _MOST)
    expect("Nothing hides her", walk.blender.point(lara))


def _edit_faces(walk: Walk, room: str) -> None:
    """Select a face of a room in edit mode, and look at the brush."""
    blender, screen = walk.blender, walk.screen
    enter_faces(walk)
    _select_face(walk, room)
    _leave(walk)
    _expect_seen(walk, "Level", "Faces", "Hide Backfaces")
    blender.shot("moment-faces")
    blender.hover_view()
    screen.key("alt+h", "Tab")
    blender.wait("Tab leads back to object mode", lambda state: state["mode"] == "OBJECT")
    left, _, _, _ = blender.area("VIEW_3D", "TOOLS")
    screen.click((left + 28, last_tool(walk)))
    blender.hover_view()
    blender.still()
    _expect_seen(walk, "Texture Brush")
    blender.shot("moment-brush")
    screen.click((left + 28, blender.area("VIEW_3D", "TOOLS")[1] + 22))
    blender.still()


def _isolate(walk: Walk, collision: str) -> None:
    """Show the collision of the room alone, and select a floor of it."""
    blender, screen = walk.blender, walk.screen
    blender.press("Isolate Collision")
    blender.still()
    blender.hover_view()
    screen.key("Tab")
    blender.wait(
        "Tab edits collision", lambda state: state["active"] == collision and state["mode"] == "EDIT"
    )
    screen.key("3", "alt+a")
    blender.press("Hide Backfaces")
    blender.still()
    _select_face(walk, collision)
    _leave(walk)
    _expect_seen(walk, "Level", "Collision", "Raise", "Lower")
    blender.shot("moment-collision")
    blender.hover_view()
    screen.key("alt+h", "Tab")
    blender.wait("Tab leads back to object mode", lambda state: state["mode"] == "OBJECT")
    press_eye(walk, "Collision")
    blender.wait("It is hidden again", lambda _: not blender.obj(collision)["visible"])


def _select_face(walk: Walk, name: str) -> None:
    """Click floors until one is selected."""
    for _face, place in walk.blender.floors(name, None)[:8]:
        walk.screen.click(place)
        walk.blender.still(5)
        if walk.blender.obj(name)["selected_faces"]:
            return
    expect(f"A click selects a floor of {name}", False)


def _animate(walk: Walk, lara: str) -> None:
    """Go to pose mode on Lara, and show her run."""
    blender = walk.blender
    blender.ask("select", name=lara)
    blender.press("Animate")
    blender.wait("Lara is posed", lambda state: state["mode"] == "POSE")
    _check_posed(walk)
    show_animation(walk, "Lara 000 Run")
    _leave(walk)
    _expect_seen(walk, "Level", "Animations", "Animate", "Add Control Rig")
    shown = blender.ask("shown_meshes")
    expect(f"All of her is seen: {shown}", len(shown) >= 14)
    blender.shot("moment-animate")
    blender.press("Back to Level")
    blender.wait("The level is shown again", lambda state: not state["views"][0]["local"])


def _check_posed(walk: Walk) -> None:
    """Raise StepError unless the model in pose mode fills about half of the view, next to the sidebar."""
    left, top, width, height = walk.blender.open_view()
    asked = (
        walk.blender.ask("frame_of", name=each, height=SIZE[1]) for each in walk.blender.ask("shown_meshes")
    )
    frames = [frame for frame in asked if frame]
    expect("Its meshes are before the eye", frames)
    low = min(frame[0] for frame in frames), min(frame[1] for frame in frames)
    high = max(frame[2] for frame in frames), max(frame[3] for frame in frames)
    expect(f"It is in the view, not at {low}, {high}", left < low[0] and high[0] < left + width)
    expect(f"From head to foot, not {low}, {high}", top < low[1] and high[1] < top + height)
    part = (high[1] - low[1]) / height
    expect(f"It takes a part of its height, not {part:.2f}", _LEAST_POSED < part < _MOST)


def _check(walk: Walk) -> None:
    blender = walk.blender
    blender.press("Check Level")
    _leave(walk)
    blender.shot("moment-checked")
    walk.press_icon("Overview")
    _leave(walk)
    blender.shot("moment-overview")


@chapter
def documented(walk: Walk) -> None:
    """Take the pictures of the documentation that show the example."""
    blender, screen = walk.blender, walk.screen
    walk.new_file()
    walk.choose("File", "Import", "Tomb Raider")
    blender.find("Level (.phd")
    blender.shot("menu", (0, 0, 930, 690))
    screen.key("Escape", "Escape", "Escape")
    walk.open_example(_GAME)
    _leave(walk)
    blender.shot("first-view", (0, 0, *SIZE))
    walk.open_eyes()
    blender.shot("level-in-blender", (0, 0, *SIZE))
    walk.close_eyes()
    walk.press_icon("Overview")
    blender.ask("select", name=_BAT)
    blender.hover_view()
    screen.key("g", "z")
    screen.type(f"{_AWAY}")
    screen.key("Return")
    blender.wait("G moves the bat", lambda _: blender.obj(_BAT)["place"][2] > _AWAY)
    screen.key("alt+a")
    blender.press("Check Level")
    blender.still()
    find_culprit(walk, _BAT)
    _leave(walk)
    blender.shot("finding", (0, 0, *SIZE))


def find_culprit(walk: Walk, name: str) -> None:
    """Open the findings, and click the first one, which is about an object."""
    blender = walk.blender
    blender.open_panel("Check", "Compare All Rooms")
    # The letters of the active row are not found: it is below this button, another one and the heading.
    x, y = blender.in_sidebar("Compare All Rooms")
    walk.screen.click((x, y + _FIRST_ROW))
    blender.wait("A click on the finding selects its culprit", lambda state: state["selected"] == [name])


def _expect_seen(walk: Walk, *texts: str) -> None:
    """Raise StepError unless texts are in the sidebar as it is, without a turn of the wheel."""
    sidebar = walk.blender.area("VIEW_3D", "UI")
    walk.blender.still()
    missing = [text for text in texts if not walk.blender.words(text, sidebar)]
    expect(f"The sidebar shows {missing} without scrolling", not missing)


def _leave(walk: Walk) -> None:
    """Move the mouse where it shows no tooltip."""
    walk.screen.move((walk.screen.middle[0], 3))
    walk.blender.still()
