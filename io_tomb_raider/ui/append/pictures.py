"""Pictures of pieces of a file in the dialog that lists them: drawn as they come into sight, gone with it."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...formats import Game, Level
    from ...scene.assets.pictures.pieces import PiecePictures

_ICON = 32  # pixels of what stands in a row
_BUDGET = 0.25  # seconds for pictures of one drawing of the dialog; the others come with the next


class EntryPreviews:
    """Blender's previews of the pieces of the file that a dialog shows now, if one does.

    Attributes:
        game: that of the file, None without one.
    """

    def __init__(self) -> None:
        self._previews: Any = None
        self._source: PiecePictures | None = None
        self._known: dict[tuple[str, int], NDArray[np.float32]] = {}
        self._deadline = 0.0
        self._ticked: tuple[str, int] | None = None
        self._row = -1
        self.game: Game | None = None

    def begin(self, level: Level, known: dict[tuple[str, int], NDArray[np.float32]]) -> None:
        """Show the pieces of a level from now on.

        Args:
            level: what the file has.
            known: pictures that the file has itself, by kind and number, (height, width, 4) from below.
        """
        import bpy.utils.previews

        from ...scene.assets.pictures.pieces import PiecePictures

        self.end()
        self._previews = bpy.utils.previews.new()
        self._source, self._known, self.game = PiecePictures(level), known, level.game

    def end(self) -> None:
        """Let go of all pictures."""
        if self._previews is not None:
            import bpy.utils.previews

            bpy.utils.previews.remove(self._previews)
        self._previews, self._source, self._known, self.game = None, None, {}, None
        self._ticked, self._row = None, -1

    def look_at(self, kind: str, number: int) -> None:
        """Note the piece that was ticked last."""
        self._ticked = kind, number

    def ticked_since(self, row: int) -> tuple[str, int] | None:
        """Return the kind and number of what was ticked since a row became active, None for nothing."""
        if row != self._row:
            self._ticked, self._row = None, row
        return self._ticked

    def start_drawing(self) -> None:
        """Allow some time for pictures that are new, as a dialog is drawn again."""
        self._deadline = monotonic() + _BUDGET

    def icon(self, kind: str, number: int, *, is_picked: bool = False) -> int:
        """Return Blender's number of the picture of a piece; 0 for none.

        Without a window Blender numbers no pictures.

        Args:
            kind: of the piece.
            number: of the piece.
            is_picked: whether it is wanted even if there is no time left.
        """
        preview = self.preview(kind, number, is_picked=is_picked)
        return 0 if preview is None else int(preview.icon_id)

    def preview(self, kind: str, number: int, *, is_picked: bool = False) -> Any:
        """Return the preview of a piece, as :meth:`icon` numbers it, or None for none."""
        if self._previews is None or self._source is None:
            return None
        name = f"{kind} {number}"
        if name not in self._previews:
            if not is_picked and monotonic() > self._deadline:
                return None
            pixels = self._known.get((kind, number))
            if pixels is None:
                pixels = self._source.picture(kind, number)
            preview = self._previews.new(name)
            if pixels is not None:
                _fill(preview, pixels)
        preview = self._previews[name]
        return preview if preview.image_size[0] else None


def _fill(preview: Any, pixels: NDArray[np.float32]) -> None:
    """Give a preview its picture, large and small: (height, width, 4) from below."""
    preview.image_size = pixels.shape[1], pixels.shape[0]
    preview.image_pixels_float.foreach_set(np.ascontiguousarray(pixels).ravel())
    rows, columns = (np.arange(_ICON) * size // _ICON for size in pixels.shape[:2])
    small = pixels[np.ix_(rows, columns)]
    if min(pixels.shape[:2]) % _ICON == 0:  # the mean of what one pixel stands for
        parts = pixels.reshape(_ICON, pixels.shape[0] // _ICON, _ICON, pixels.shape[1] // _ICON, 4)
        alpha = parts[..., 3:].sum(axis=(1, 3))
        color = (parts[..., :3] * parts[..., 3:]).sum(axis=(1, 3)) / np.maximum(alpha, 1e-6)
        small = np.concatenate([color, parts[..., 3:].mean(axis=(1, 3))], axis=2)
    preview.icon_size = _ICON, _ICON
    preview.icon_pixels_float.foreach_set(np.ascontiguousarray(small, np.float32).ravel())


pictures = EntryPreviews()


def register() -> None:
    """Nothing is there before a dialog opens."""


def unregister() -> None:
    """Let go of what a dialog left."""
    pictures.end()
