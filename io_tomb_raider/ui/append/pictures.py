"""Previews of pieces in the Append dialog and in Add lists, drawn when they become visible."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...formats import Game, Level
    from ...scene.assets.pictures import PiecePictures

_BUDGET = 0.25  # seconds for new previews per redraw of the dialog; the next redraws continue


class EntryPreviews:
    """Blender previews of the pieces of the file that a dialog lists."""

    def __init__(self) -> None:
        self._previews: Any = None
        self._source: PiecePictures | None = None
        self._stored: dict[tuple[str, int], NDArray[np.float32]] = {}
        self._deadline = 0.0
        self._ticked: tuple[str, int] | None = None
        self._row = -1
        self.game: Game | None = None  #: game of the file, None without a file.
        self._level: Level | None = None

    def begin(self, level: Level, stored: dict[tuple[str, int], NDArray[np.float32]]) -> None:
        """Start showing the pieces of a level, the content of a file.

        ``stored`` are previews in the file by kind and number, (height, width, 4), bottom row first.
        """
        import bpy.utils.previews

        from ...scene.assets.pictures import PiecePictures

        self.end()
        self._previews = bpy.utils.previews.new()
        self._source, self._stored, self.game = PiecePictures(level), stored, level.game
        self._level = level

    def keep_on(self, level: Level) -> None:
        """Start showing the pieces of a level, unless they are shown already."""
        if level is not self._level:
            self.begin(level, {})

    def end(self) -> None:
        """Free all previews."""
        if self._previews is not None:
            import bpy.utils.previews

            bpy.utils.previews.remove(self._previews)
        self._previews, self._source, self._stored, self.game = None, None, {}, None
        self._level = None
        self._ticked, self._row = None, -1

    def note_ticked(self, kind: str, number: int) -> None:
        """Note the piece that was ticked last."""
        self._ticked = kind, number

    def last_ticked(self, row: int) -> tuple[str, int] | None:
        """Return the kind and number of the piece ticked since a row became active, None if there is none."""
        if row != self._row:
            self._ticked, self._row = None, row
        return self._ticked

    def start_drawing(self, seconds: float | None = None) -> None:
        """Set the deadline for new previews when a dialog is redrawn."""
        self._deadline = monotonic() + (_BUDGET if seconds is None else seconds)

    def icon(self, kind: str, number: int, *, is_picked: bool = False) -> int:
        """Return the icon number of a piece's preview, 0 if there is none, as always without a window.

        The preview of a picked piece is drawn even if the deadline has passed.
        """
        preview = self.preview(kind, number, is_picked=is_picked)
        return 0 if preview is None else int(preview.icon_id)

    def preview(self, kind: str, number: int, *, is_picked: bool = False) -> Any:
        """Return the preview of a piece, or None; arguments as for :meth:`icon`."""
        from ..base.layout.thumbnails import fill_preview

        if self._previews is None or self._source is None:
            return None
        name = f"{kind} {number}"
        if name not in self._previews:
            if not is_picked and monotonic() > self._deadline:
                return None
            pixels = self._stored.get((kind, number))
            if pixels is None:
                pixels = self._source.picture(kind, number)
            preview = self._previews.new(name)
            if pixels is not None:
                fill_preview(preview, pixels)
        preview = self._previews[name]
        return preview if preview.image_size[0] else None


pictures = EntryPreviews()
added = EntryPreviews()  # those of Add lists, kept while they show the same level


def register() -> None:
    """Do nothing: previews are made when a dialog opens."""


def unregister() -> None:
    """Free the previews of Add lists, and of a dialog that is still open."""
    pictures.end()
    added.end()
