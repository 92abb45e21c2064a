"""Tests of the files of projects, as Blender reads them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from io_tomb_raider.formats.textures.png import encode_png


def test_images_are_read_from_the_top_with_their_alpha(blender: ModuleType, tmp_path: Path) -> None:
    from io_tomb_raider.scene.interop.projects.files import load_image

    pixels = np.zeros((2, 3, 4), np.uint8)
    pixels[0], pixels[1] = (255, 0, 255, 255), (10, 20, 30, 0)
    path = tmp_path / "a.png"
    path.write_bytes(encode_png(pixels))
    before = len(blender.data.images)
    found = load_image(path)
    assert found.shape == (2, 3, 4) and found[0, 0].tolist() == [255, 0, 255, 255] and found[1, 2, 3] == 0
    assert len(blender.data.images) == before
    (tmp_path / "bad.png").write_bytes(b"bad")
    for name in ("bad.png", "lost.png"):
        with pytest.raises(ValueError, match=r"."):
            load_image(tmp_path / name)
    assert len(blender.data.images) == before
