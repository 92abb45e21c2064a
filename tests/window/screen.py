"""A virtual screen with a mouse and a keyboard."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from .tools import MissingError, Tools

SIZE = (1280, 800)
# Long enough for Blender to notice the mouse, and for viewers of a recording.
_PAUSE = 0.15
# Blender recognizes clicks with keys between two redraws, which are slow in software.
_HOLD = 0.4


class Screen:
    """Xvfb on a free display; ``environ`` has the variables for programs on it.

    ``actions`` counts what a person does: clicks, drags, turns of the wheel, keys, and typed texts. ``turns``
    counts the turns of the wheel among them.
    """

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.environ = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}
        self.environ.pop("PYTHONPATH", None)  # Blender must import only what is installed
        self._server: subprocess.Popen[bytes] | None = None
        self.actions = self.turns = 0
        self.settle: Callable[[], object] = lambda: None  # waits until Blender has noticed the mouse

    def __enter__(self) -> Screen:
        ours, theirs = os.pipe()
        width, height = SIZE
        command = [str(self.tools.xvfb), "-displayfd", str(theirs), "-screen", "0", f"{width}x{height}x24"]
        quiet = subprocess.DEVNULL
        self._server = subprocess.Popen(command, pass_fds=(theirs,), stdout=quiet, stderr=quiet)
        os.close(theirs)
        with os.fdopen(ours) as answer:
            number = answer.readline().strip()
        if not number:
            raise MissingError("Xvfb did not start: run it by hand to see why.")
        self.environ["DISPLAY"] = f":{number}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.terminate()
            self._server.wait()

    middle = (SIZE[0] // 2, SIZE[1] // 2)

    @property
    def steps(self) -> int:
        """The number of actions without turns of the wheel, which scroll and zoom but change nothing."""
        return self.actions - self.turns

    def _do(self, *words: str) -> None:
        subprocess.run(
            [str(self.tools.xdotool), *words], env=self.environ, check=True, stdout=subprocess.DEVNULL
        )
        time.sleep(_PAUSE)

    def move(self, place: tuple[int, int]) -> None:
        """Move the mouse to (x, y), in pixels from the top left, in two steps so that Blender notices."""
        x, y = place
        self._do("mousemove", str(x - 3), str(y - 2))
        self._do("mousemove", str(x), str(y))

    def click(self, place: tuple[int, int], held: str = "", button: int = 1) -> None:
        """Click at a position, optionally with keys held ("shift+ctrl"): button 1 is left, 3 is right."""
        self.actions += 1
        self.move(place)
        self.settle()  # the button below the mouse has to be highlighted first
        keys = held.split("+") if held else []
        for key in keys:
            self._do("keydown", key)
        if keys:
            self._wait()
        self._do("click", str(button))
        if keys:
            self._wait()  # Blender reads which keys are held when it handles the click
        for key in keys:
            self._do("keyup", key)

    def _wait(self) -> None:
        time.sleep(_HOLD)
        self.settle()

    def double_click(self, place: tuple[int, int]) -> None:
        self.actions += 1
        self.move(place)
        self.settle()
        self._do("click", "--repeat", "2", "--delay", "60", "1")

    def scroll(self, place: tuple[int, int], clicks: int) -> None:
        """Turn the wheel at a position, down for positive numbers."""
        self.actions += 1
        self.turns += 1
        self.move(place)
        for _ in range(abs(clicks)):
            self._do("click", "5" if clicks > 0 else "4")

    def drag(self, start: tuple[int, int], end: tuple[int, int], button: int = 1) -> None:
        """Press a button at a position, and release it at another: 1 is left, 2 is the middle one."""
        self.actions += 1
        self.move(start)
        self.settle()
        self._do("mousedown", str(button))
        for step in range(1, 6):
            x, y = (round(a + (b - a) * step / 5) for a, b in zip(start, end, strict=True))
            self._do("mousemove", str(x), str(y))
        self._do("mouseup", str(button))

    def key(self, *keys: str) -> None:
        """Press keys one by one, by their names in xdotool, such as "ctrl+z"."""
        for each in keys:
            self.actions += 1
            self._do("key", "--clearmodifiers", each)

    def type(self, text: str) -> None:
        """Type a text, slowly enough for Blender."""
        self.actions += 1
        self._do("type", "--delay", "40", "--", text)

    def picture(self, path: Path, part: tuple[int, int, int, int] | None = None) -> None:
        """Save a picture of the screen; the suffix is .png, or .rgb for raw bytes.

        Args:
            path: of the file.
            part: left, top, width and height of a part, which is saved with few colors to be small.
        """
        target = f"rgb:{path}" if path.suffix == ".rgb" else str(path)
        command = [str(self.tools.picture), "-window", "root", "-depth", "8", target]
        if part is not None:
            left, top, width, height = part
            crop = [
                "-crop",
                f"{width}x{height}+{left}+{top}",
                "+repage",
                "-strip",
                "+dither",
                "-colors",
                "128",
            ]
            command[-1:] = [*crop, f"PNG8:{path}"]
        subprocess.run(command, env=self.environ, check=True)
