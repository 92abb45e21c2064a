"""A running Blender with the extension and factory settings, controlled by mouse, keyboard and screen."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from .screen import SIZE, Screen
from .tools import Tools

HERE = Path(__file__).resolve().parent
State = dict[str, Any]
Place = tuple[int, int]
Rectangle = tuple[int, int, int, int]  # left, top, width, height


# Clicks of the mouse wheel to scroll through the whole sidebar, and between two reads of it.
_MOST_CLICKS, _TURN = 30, 5
_MARGIN = 5  # pixels at the left of the sidebar, where the wheel does not turn lists
_PATIENCE = 300  # seconds: software rendering compiles shaders for minutes
_REACH = 120  # pixels from the middle of a text to its ends
_NEAR = 6  # pixels within which positions of a text are the same
_SPARSE = 997  # stride of the bytes that show whether a picture has any content


class StepError(Exception):
    """A step did not have the expected result."""


class Blender:
    """A running Blender. Positions are (x, y) in pixels of the screen, from the top left."""

    def __init__(self, tools: Tools, screen: Screen, folder: Path, output: Path) -> None:
        self.tools = tools
        self.screen = screen
        self.folder = folder
        self.output = output
        self._environ = {**screen.environ, "BLENDER_USER_RESOURCES": str(folder / "user")}
        self._questions = 0
        self._program: subprocess.Popen[bytes] | None = None
        self._log = output / "blender.log"
        self.pictures: list[str] = []
        self.docs: Path | None = None  # folder for pictures of the documentation

    # ------------------------------------------------------------ start and end

    def install(self, extension: Path) -> str:
        """Install the extension's zip from the command line. Returns Blender's output."""
        words = ("--command", "extension", "install-file", "-r", "user_default", "-e", str(extension))
        command = [str(self.tools.blender), *words]
        done = subprocess.run(command, env=self._environ, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise StepError(f"Blender did not install the zip:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def write_levels(self, folder: Path) -> None:
        """Write a generated level of each game, with the NumPy of this Blender."""
        words = ("--background", "--factory-startup", "--python-exit-code", "1")
        command = [str(self.tools.blender), *words, "--python", str(HERE / "levels.py"), "--", str(folder)]
        done = subprocess.run(command, env=self._environ, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise StepError(f"No levels could be written:\n{done.stdout}{done.stderr}")

    def __enter__(self) -> Blender:
        width, height = SIZE
        words = ["--window-geometry", "0", "0", str(width), str(height), "--python", str(HERE / "inside.py")]
        command = [str(self.tools.blender), *words, "--", str(self.folder)]
        if self.docs is not None:
            command.append("fine")
        with self._log.open("wb") as log:
            self._program = subprocess.Popen(command, env=self._environ, stdout=log, stderr=subprocess.STDOUT)
        self.ask("state", seconds=180)
        self.screen.settle = self.state
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._program is not None:
            self._program.terminate()
            self._program.wait()

    def leave(self) -> None:
        """End Blender as a user does. Raises StepError if it crashes then."""
        self.ask("leave")
        assert self._program is not None
        if code := self._program.wait(_PATIENCE):
            raise StepError(f"Blender ended with {code}; see {self._log}")

    def complaints(self) -> list[str]:
        """Return the lines of Blender's console that report errors."""
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        signs = ("Traceback", "Error", "rna_uiItem", "  File ")
        return [line for line in lines if any(sign in line for sign in signs)]

    # ------------------------------------------------------------ questions

    def ask(self, question: str, seconds: float = _PATIENCE, **arguments: Any) -> Any:
        """Ask :mod:`.inside` a question, and return the answer. Raises StepError if there is none."""
        self._questions += 1
        answer = self.folder / "answer.json"
        answer.unlink(missing_ok=True)
        content = {**arguments, "ask": question, "number": self._questions}
        unfinished = self.folder / "question.unfinished"
        unfinished.write_text(json.dumps(content), encoding="utf-8")
        unfinished.replace(self.folder / "question.json")
        end = time.monotonic() + seconds
        while not answer.exists():
            if self._program is not None and self._program.poll() is not None:
                raise StepError(f"Blender has ended ({self._program.returncode}); see {self._log}")
            if time.monotonic() > end:
                raise StepError(f"Blender did not answer within {seconds:.0f} seconds ({question})")
            time.sleep(0.05)
        reply = json.loads(answer.read_text(encoding="utf-8"))
        if reply["number"] != self._questions or "error" in reply:
            raise StepError(f"The answer to {question} was {reply}")
        return reply["value"]

    def state(self) -> State:
        return self.ask("state")

    def wait(self, what: str, holds: Callable[[State], bool], seconds: float = 120) -> State:
        """Wait for a state that fulfills a condition. Raises StepError with `what` after a timeout."""
        end = time.monotonic() + seconds
        while True:
            state = self.state()
            if holds(state):
                return state
            if time.monotonic() > end:
                raise StepError(f"{what}: this did not happen. Blender's state: {_short(state)}")
            time.sleep(0.2)

    # ------------------------------------------------------------ reading the screen

    def area(self, kind: str, region: str | None = None) -> Rectangle:
        """Return the largest area of a type, or its region of a type. Raises StepError."""
        found = [each for each in self.ask("areas", height=SIZE[1]) if kind in (each["type"], each["ui"])]
        if region is not None:
            found = [part for each in found for part in each["regions"] if part["type"] == region]
        if not found:
            raise StepError(f"No {region or kind} is on the screen")
        best = max(found, key=lambda each: each["width"] * each["height"])
        return best["x"], best["y"], best["width"], best["height"]

    def words(self, text: str, within: Rectangle | None = None) -> list[Place]:
        """Return the positions of a text on the screen, best match first."""
        picture = self.folder / "screen.rgb"
        self.screen.picture(picture)
        width, height = SIZE
        part = None
        if within is not None:  # texts may reach over its border
            left, top, wide, high = within
            part = (left - _REACH, top - _REACH, wide + 2 * _REACH, high + 2 * _REACH)
        found = self.ask("words", picture=str(picture), width=width, height=height, text=text, part=part)
        places = [(x, y) for _, x, y in found]
        return [place for place in places if within is None or _is_in(place, within)]

    def find(
        self,
        text: str,
        within: Rectangle | None = None,
        seconds: float = 30,
        without: Sequence[Place] = (),
    ) -> Place:
        """Wait for a text on the screen, and return its position. Raises StepError.

        Args:
            text: the text.
            within: the part of the screen to search.
            seconds: timeout.
            without: positions of the same text that do not count.
        """
        end = time.monotonic() + seconds
        while True:
            found = self.words(text, within)
            places = [place for place in found if not any(_is_near(place, each) for each in without)]
            if places:
                return places[0]
            if time.monotonic() > end:
                raise StepError(f"“{text}” is not on the screen")
            time.sleep(0.3)

    def obj(self, name: str) -> State:
        """Return the state of an object."""
        return self.ask("object", name=name)

    def open_view(self) -> Rectangle:
        """Return the part of the 3D view that its sidebar and its header do not cover."""
        left, top, width, height = self.area("VIEW_3D", "WINDOW")
        _, above, _, covered = self.area("VIEW_3D", "HEADER")
        covered = max(0, above + covered - top) if above < top + height // 2 else 0
        top, height = top + covered, height - covered
        if any(each["sidebar"] for each in self.state()["views"]):
            width = self.area("VIEW_3D", "UI")[0] - left
        return left, top, width, height

    def point(self, name: str, face: int | None = None) -> Place:
        """Return the position of an object, or of a face of it, in the largest 3D view. Raises StepError."""
        found = self.ask("point", name=name, height=SIZE[1], face=face)
        if found is None:
            raise StepError(f"{name} is not seen in the 3D view")
        return found[0], found[1]

    def in_sidebar(self, text: str) -> Place:
        """Return the position of a text in the sidebar, after scrolling if necessary. Raises StepError."""
        sidebar = self.area("VIEW_3D", "UI")
        margin = (sidebar[0] + _MARGIN, sidebar[1] + sidebar[3] // 2)
        for clicks in (0, -_MOST_CLICKS, *(_TURN,) * (_MOST_CLICKS // _TURN)):
            if clicks:
                self.screen.scroll(margin, clicks)
            self.still()
            places = self.words(text, sidebar)
            if places:
                return places[0]
        raise StepError(f"“{text}” is not in the sidebar")

    def still(self, seconds: float = 20) -> None:
        """Wait until the screen no longer changes, or for a timeout."""
        end = time.monotonic() + seconds
        picture, before = self.folder / "still.rgb", b""
        while time.monotonic() < end:
            self.state()
            self.screen.picture(picture)
            now = picture.read_bytes()
            # A screen of one color has not been drawn yet.
            if now == before and len(set(now[::_SPARSE])) > 1:
                return
            before = now

    def floors(self, name: str, at: float | None = 0.0) -> list[tuple[int, Place]]:
        """Return visible floor faces of a mesh with their positions, the middle first. Raises StepError.

        Args:
            name: of the object.
            at: the height of the floors in meters, None for any.
        """
        found = self.ask("floors", name=name, height=SIZE[1], at=at)
        if not found:
            raise StepError(f"No floor of {name} is seen in the 3D view")
        return [(face, (x, y)) for face, (x, y) in found]

    def shot(self, name: str, part: Rectangle | None = None) -> None:
        """Save a screenshot once the screen is still, and a part of it for the documentation."""
        self.still()
        if part is not None and self.docs is not None:
            self.docs.mkdir(parents=True, exist_ok=True)
            self.screen.picture(self.docs / f"{name}.png", part)
        file = f"{len(self.pictures) + 1:02}-{name}.png"
        self.screen.picture(self.output / file)
        self.pictures.append(file)

    # ------------------------------------------------------------ mouse and keyboard

    def click(self, text: str, within: Rectangle | None = None, without: Sequence[Place] = ()) -> None:
        """Click a text on the screen, see :meth:`find`."""
        self.screen.click(self.find(text, within, without=without))

    def click_floor(
        self,
        name: str,
        held: str = "",
        selected: Callable[[State], bool] | None = None,
        at: float | None = 0.0,
    ) -> None:
        """Select a room, or its collision, by clicking a floor of it that nothing covers."""
        holds = selected or (lambda state: state["selected"] == [name])
        for _, place in self.floors(name, at)[:8]:
            self.screen.click(place, held=held)
            self.still(5)
            if holds(self.state()):
                return
        raise StepError(f"No click on a floor selects {name}")

    def press(self, text: str) -> None:
        """Click a text in the sidebar."""
        self.screen.click(self.in_sidebar(text))

    def open_panel(self, title: str, content: str) -> None:
        """Open a panel of the sidebar, by its title and a text in it, unless it is open."""
        place = self.in_sidebar(title)
        if not self.words(content, self.area("VIEW_3D", "UI")):
            self.screen.click(place)
            self.in_sidebar(content)

    def hover_view(self) -> None:
        """Move the mouse into the 3D view, outside of its sidebar."""
        left, top, width, height = self.open_view()
        self.screen.move((left + width // 2, top + height - 40))

    def hover(self, kind: str, region: str | None = None) -> Place:
        """Move the mouse to the middle of an area, which directs keys there. Returns the position."""
        left, top, width, height = self.area(kind, region)
        place = (left + width // 2, top + height // 2)
        self.screen.move(place)
        return place


def _is_in(place: Place, rectangle: Rectangle) -> bool:
    (x, y), (left, top, width, height) = place, rectangle
    return left <= x < left + width and top <= y < top + height


def _is_near(one: Place, other: Place) -> bool:
    return abs(one[0] - other[0]) < _NEAR and abs(one[1] - other[1]) < _NEAR


def _short(state: State) -> str:
    return json.dumps({**state, "names": len(state["names"])}, ensure_ascii=False)
