"""Shared steps of all chapters: new files, imports, file browsers; and the list of chapters."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from .blender import Blender, Place, Rectangle, StepError
from .levels_of_games import ANIMATION, NAMES
from .screen import SIZE

Chapter = Callable[["Walk"], None]
# By name, in order.
CHAPTERS: dict[str, Chapter] = {}

# Objects of the generated levels, and of Blender's factory file.
LARA = "Lara 0"
ENEMY = "Wolf 2"
HALL, CORRIDOR = "Room 000", "Room 001"
CUBE = "Cube"

# The icons of the panel Level, in order, and their places in pixels.
_ICONS = ("Import", "Export", "Play", "Play from Here", "Overview", "Behind Lara")
_MARGIN, _ICON, _TARGET, _BELOW, _ARROW = 26, 21, 33, 30, 61
_TO_TOP = 30  # clicks of the wheel
_TITLES = 80  # pixels of the sidebar in which titles begin
_EYE = 20  # pixels from the right of the header to the button of Visibility
_MENUS = (0, 0, 1000, 700)  # area in which menus open, four next to each other


def chapter(does: Chapter) -> Chapter:
    """Register a function as a chapter. It starts with a new file."""
    CHAPTERS[does.__name__] = does
    return does


def expect(what: str, holds: object) -> None:
    """Raise StepError if a condition is false."""
    if not holds:
        raise StepError(f"{what}: this is not so")


class Walk:
    """Control of Blender, the folder of levels, and the level and the animation to import."""

    def __init__(
        self, blender: Blender, levels: Path, level: Path | None = None, animation: Path | None = None
    ) -> None:
        self.blender = blender
        self.screen = blender.screen
        self.levels = levels
        self.is_chosen = level is not None
        self.level = level or levels / NAMES["TR1"]
        self.animation = animation or levels / ANIMATION

    def new_file(self) -> None:
        """Open a new file, with the default cube."""
        blender, screen = self.blender, self.screen
        screen.key("Escape", "Escape")
        blender.hover("VIEW_3D", "WINDOW")
        screen.key("ctrl+n")
        blender.click("General")
        blender.still()
        if blender.state()["levels"]:
            blender.click("Don't Save")
        blender.wait("A new file", lambda state: not state["levels"] and CUBE in state["names"])
        blender.still()

    def browse(self, path: Path, button: str, picture: str = "") -> None:
        """Enter a path in the file browser, and press its button; take a screenshot if named."""
        blender, screen = self.blender, self.screen
        blender.wait("A file browser opens", lambda state: "FILE_BROWSER" in state["windows"])
        blender.still()
        left, top, width, height = blender.area("FILE_BROWSER", "UI")
        self.write((left + width * 45 // 100, top + height // 2), str(path.parent))
        blender.still()
        left, top, width, height = blender.area("FILE_BROWSER", "EXECUTE")
        self.write((left + width // 4, top + height // 2), path.name)
        if picture:
            blender.shot(picture)
        blender.click(button, blender.area("FILE_BROWSER", "EXECUTE"))
        blender.wait("The file browser closes", lambda state: "FILE_BROWSER" not in state["windows"])
        screen.move((screen.middle[0], 3))

    def dialog(self) -> Rectangle:
        """Return the area of the open dialog, above its button *Cancel*. Raises StepError."""
        x, y = self.blender.find("Cancel")
        return (x - 150, max(y - 450, 0), 600, 450)

    def confirm(self, button: str, picture: str = "") -> None:
        """Press a button of the open dialog, after an optional screenshot."""
        blender = self.blender
        blender.find("Cancel")
        blender.still()
        if picture:
            blender.shot(picture)
        _, row = blender.find("Cancel")
        blender.click(button, (0, row - 12, 2 * self.screen.middle[0], 24))
        self.screen.move((self.screen.middle[0], 3))

    def write(self, field: Place, text: str) -> None:
        """Replace the text of a field."""
        self.screen.double_click(field)
        time.sleep(0.3)
        self.screen.key("ctrl+a")
        self.screen.type(text)
        self.screen.key("Return")

    def open_level(self, path: Path) -> None:
        """Import a level into a new file, by dropping it, and look at all of it."""
        self.new_file()
        self.drop(path)
        self.press_icon("Overview")
        self.screen.move((self.screen.middle[0], 3))
        self.blender.still()

    def open_example(self, game: str) -> None:
        """Open the example by the menu, as a level of a game."""
        self.choose("File", "New", "Tomb Raider Example", game)
        self.blender.wait("The example is there", lambda state: state["levels"], 180)
        self.blender.still()

    def press_icon(self, name: str) -> None:
        """Press an icon of the panel *Level*, by its place in the row: its tooltip alone has its name."""
        title, (left, *_) = self._level_title(), self.blender.area("VIEW_3D", "UI")
        state = self.blender.state()
        before = _TARGET if state["levels"][-1]["game"] != "TR5" else 0
        place = _ICONS.index(name) - (state["mode"] not in (None, "OBJECT"))  # Import is in object mode only
        self.screen.click((left + _MARGIN + before + place * _ICON, title[1] + _BELOW))

    def choose_tool(self, entry: str) -> None:
        """Choose an entry of the menu *Level*, which the arrow in the title of the panel opens."""
        title, (left, top, width, height) = self._level_title(), self.blender.area("VIEW_3D", "UI")
        self.screen.click((left + width - _ARROW, title[1]))
        self.blender.still()
        self.blender.click(entry, (max(left - width, 0), top, 3 * width, height))

    def _level_title(self) -> Place:
        """Return the position of the title of the panel *Level*, at the left near the top of the sidebar."""
        left, top, _, height = self.blender.area("VIEW_3D", "UI")
        self.screen.scroll((left + 5, top + height // 2), -_TO_TOP)
        titles = (left, top, _TITLES, height)  # without the button *Back to Level*
        self.blender.find("Level", titles)
        return min(self.blender.words("Level", titles), key=lambda place: place[1])

    def open_eyes(self) -> Rectangle:
        """Open *Visibility* by its button at the right of the header; return the area below it."""
        blender = self.blender
        left, top, width, height = blender.area("VIEW_3D", "HEADER")
        self.screen.click((left + width - _EYE, top + height // 2))
        blender.find("Library", self._eyes())
        blender.still()
        return self._eyes()

    def _eyes(self) -> Rectangle:
        """Return the area in which *Visibility* opens."""
        left, top, width, height = self.blender.area("VIEW_3D", "HEADER")
        return left + width - 190, top + height, 340, 700

    def close_eyes(self) -> None:
        """Close *Visibility*, as leaving it with the mouse does."""
        for across in (60, 90, 120, 150):  # a slow Blender may miss the first moves
            self.screen.move((across, SIZE[1] // 2))
            self.blender.still()
            if not self.blender.words("Library", self._eyes()):
                return

    def choose(self, *entries: str) -> None:
        """Choose an entry of the top menus by its path."""
        # The header of the 3D view may have the same words: entries are what the menus add.
        before = [place for entry in entries[1:] for place in self.blender.words(entry, _MENUS)]
        for number, entry in enumerate(entries):
            self.blender.click(entry, _MENUS, before if number else ())
            self.blender.still()

    def select_enemy(self) -> None:
        """Click the enemy of the generated levels."""
        self.screen.click(self.blender.point(ENEMY))
        self.blender.wait("A click makes the enemy active", lambda state: state["selected"] == [ENEMY])

    def drop(self, path: Path) -> None:
        """Drop a level on the 3D view, and press *Import* in the dialog.

        xdotool cannot drag files between programs, so Blender is asked to do what it does after a drop.
        """
        before = len(self.blender.state()["levels"])
        self._drop(path, "Import Tomb Raider Level")
        self.blender.wait("The dropped level is there", lambda state: len(state["levels"]) == before + 1)
        self.blender.still()

    def drop_animation(self, path: Path) -> None:
        """Drop an animation on the 3D view, and press *Import Animation* in the dialog."""
        self._drop(path, "Import Animation")
        self.blender.still()

    def _drop(self, path: Path, button: str) -> None:
        blender = self.blender
        blender.hover("VIEW_3D", "WINDOW")
        blender.ask("drop", path=str(path))
        blender.still()
        _, row = blender.find("Cancel")
        # The panel of the last operation, in the corner of the view, has the same title.
        blender.click(button, (0, row - 10, 2 * self.screen.middle[0], 20))
