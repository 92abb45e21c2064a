"""Scenes of .blend files that came from anywhere: what they carry takes no more memory than is sound."""

from __future__ import annotations

import tracemalloc
import zlib
from types import ModuleType

import pytest
from bpy.types import Collection

from io_tomb_raider.formats import FormatError, Game
from io_tomb_raider.scene.base.original import load
from io_tomb_raider.scene.cutscenes.build import original_cutscene
from tests.sample_levels import sample_bytes

from .scenes import import_scene

_CLAIMED = 512 << 20  # bytes that a bomb holds
_BOUND = 128 << 20


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """Return a small zlib stream of very many zeros."""
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    return b"".join([*(packer.compress(block) for _ in range(_CLAIMED >> 20)), packer.flush()])


@pytest.mark.parametrize("key", ["tr_original", "tr_cutscene"])
def test_what_swells_is_refused_in_words_before_it_takes_memory(
    blender: ModuleType, bomb: bytes, key: str
) -> None:
    root: Collection = import_scene(sample_bytes(Game.TR1))
    root[key] = bomb
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="zlib stream"):
            load(root) if key == "tr_original" else original_cutscene(root)
        assert tracemalloc.get_traced_memory()[1] < _BOUND
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("damage", [b"x", b"\x78\x01damaged", b"\x78\x9c"], ids=["level", "stream", "cut"])
def test_a_damaged_original_is_an_error_in_words(blender: ModuleType, damage: bytes) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    root["tr_original"] = damage
    with pytest.raises(FormatError):
        load(root)
