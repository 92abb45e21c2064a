"""A chapter that starts dialogs, modal tools and long operations, and cancels each by Esc."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .walk import Walk, chapter, expect

_GAME = "The Last Revelation"  # of the example
_ROOM = "Pillared Hall"
_FAR = 120  # pixels by which objects are dragged


@chapter
def canceled(walk: Walk) -> None:
    """Cancel file browsers, dialogs, transforms, the brush and a conversion: the level stays as it was."""
    blender = walk.blender
    walk.new_file()
    _cancel(walk, "a browser without a level", _browse(walk, "File", "Import", "Tomb Raider", "Level (.phd"))
    walk.open_example(_GAME)
    walk.press_icon("Overview")
    walk.screen.move((walk.screen.middle[0], 3))
    blender.still()
    for entries in (
        ("File", "Import", "Tomb Raider", "Level (.phd"),
        ("File", "Import", "Tomb Raider", "Append from Level"),
        ("File", "Export", "Tomb Raider", "Level (.tr4"),
    ):
        _cancel(walk, entries[-1], _browse(walk, *entries))
    for name in ("Mark as Assets", "Convert to Another Game"):
        _cancel(walk, name, _open_dialog(walk, name))
    blender.shot("canceled-dialogs")
    for name in (_ROOM, "Lara 0"):
        blender.ask("select", name=name)
        _cancel(walk, f"a move of {name}", _drag(walk, "g"))
        _cancel(walk, f"a turn of {name}", _drag(walk, "r"))
    _cancel(walk, "the brush of the menu", _call_brush(walk))
    blender.shot("canceled-tools")
    _cancel(walk, "a conversion", _convert(walk))
    blender.shot("canceled-conversion")


def _cancel(walk: Walk, what: str, start: Callable[[], None]) -> None:
    """Start something, press Esc, and expect the scene as it was before, and nothing running."""
    blender = walk.blender
    before = _scene(walk)
    start()
    walk.screen.key("Escape")
    blender.wait(
        f"Esc ends {what}", lambda state: not state["running"] and state["windows"] == before["windows"]
    )
    blender.still()
    after = _scene(walk)
    changed = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    expect(f"Esc leaves everything as it was after {what}, not {str(changed)[:1000]}", not changed)
    errors = blender.complaints()
    expect(f"No error is reported after {what}: {errors}", not errors)


def _scene(walk: Walk) -> dict[str, Any]:
    """Return what has to stay: the state of the scene, and the places of its objects."""
    blender = walk.blender
    state = blender.state()
    kept = ("levels", "names", "active", "selected", "mode", "cursor", "windows", "workspace", "views")
    return {**{key: state[key] for key in kept}, "places": blender.ask("places")}


def _browse(walk: Walk, *entries: str) -> Callable[[], None]:
    """Return a function that opens a file browser by the menus."""

    def start() -> None:
        walk.choose(*entries)
        walk.blender.wait("A file browser opens", lambda state: "FILE_BROWSER" in state["windows"])
        walk.blender.hover("FILE_BROWSER", "WINDOW")
        walk.blender.still()

    return start


def _open_dialog(walk: Walk, name: str) -> Callable[[], None]:
    """Return a function that opens the dialog of a tool of the level."""

    def start() -> None:
        walk.choose_tool(name)
        walk.blender.find("Cancel")
        walk.blender.still()

    return start


def _drag(walk: Walk, key: str) -> Callable[[], None]:
    """Return a function that starts a transform of the selection, and moves the mouse."""

    def start() -> None:
        screen = walk.screen
        walk.blender.hover_view()
        screen.key(key)
        x, y = screen.middle
        for step in range(1, 4):
            screen.move((x // 2 + step * _FAR // 3, y))
        walk.blender.wait("A transform runs", lambda state: state["running"])

    return start


def _call_brush(walk: Walk) -> Callable[[], None]:
    """Return a function that calls the texture brush by the menu: it waits for a click."""

    def start() -> None:
        walk.choose("Tomb Raider", "Textures", "Paint Tile")
        walk.blender.wait("The brush waits", lambda state: state["running"])

    return start


def _convert(walk: Walk) -> Callable[[], None]:
    """Return a function that starts a conversion, which takes seconds."""

    def start() -> None:
        _open_dialog(walk, "Convert to Another Game")()
        walk.confirm("OK")
        walk.blender.wait("It is converting", lambda state: state["running"])

    return start
