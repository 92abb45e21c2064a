"""Append from a file that a test has written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.transfer.append.appending import Appended, append
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.sample_levels import sample_bytes


def append_from(
    root: Collection,
    folder: Path,
    source: Game | bytes,
    *,
    on_conflict: str = "SKIP",
    place: Any = None,
    **wanted: str,
) -> Appended:
    """Append pieces of a level, or of the sample level of a game, that is written into a folder."""
    path = folder / "source.lev"
    path.write_bytes(sample_bytes(source) if isinstance(source, Game) else source)
    return append(root, path, PieceSelection(**wanted), on_conflict=on_conflict, place=place)
