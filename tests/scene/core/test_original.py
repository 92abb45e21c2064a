"""The original file in the scene: its compression when the scene is saved."""

from __future__ import annotations

from types import ModuleType

import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core import original
from tests.sample_levels import sample_bytes

from ..scenes import import_anew


def test_a_large_file_is_compressed_only_by_the_first_save(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = sample_bytes(Game.TR1)
    monkeypatch.setattr(original, "_SMALL", 0)
    root = import_anew(data)
    sizes = []
    for _ in range(3):
        sizes.append(len(root["tr_original"]))
        original.pack_for_saving(root)
    assert sizes[0] == len(data) and sizes[1] == sizes[2] < len(data)
    original.forget()
    decoded = original.load(root)
    assert decoded is not None and decoded.level.to_bytes() == data
