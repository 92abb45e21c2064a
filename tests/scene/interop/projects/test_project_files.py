"""Tests of the files of projects, as Blender reads them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.model.project import read_project
from io_tomb_raider.formats.levels.textures.png import encode_png
from tests.formats.levels.textures.old_image_samples import gif
from tests.project_files import write_castle


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
        with pytest.raises((OSError, ValueError), match=r"."):
            load_image(tmp_path / name)
    assert len(blender.data.images) == before
    (tmp_path / "a.gif").write_bytes(gif(np.array([[1, 2, 3]]), transparent=2))
    found = load_image(tmp_path / "a.gif")
    assert found.shape == (2, 4, 4) and found[1, 1].tolist() == [200, 80, 40, 255] and not found[1, 2].any()


def test_an_opened_project_is_stored_fast_and_exported_as_it_is_compiled(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from io_tomb_raider.scene.core import original
    from io_tomb_raider.scene.interop.projects.files import resources_of
    from io_tomb_raider.scene.interop.projects.imports import import_project
    from io_tomb_raider.scene.pipeline.exporter import export_level

    path = write_castle(tmp_path)
    project, content = read_project(path), path.read_bytes()
    compiled = compile_project(project, resources_of(project.settings, path), keep_missing=True)
    wanted = compiled.level.to_bytes()
    root = import_project(path).context.root
    assert len(root["tr_original"]) > len(wanted)  # its chunks are not compressed
    assert export_level(root).level.to_bytes() == wanted
    monkeypatch.setattr(original, "_SMALL", 0)
    sizes = []
    for _ in range(3):
        sizes.append((len(root["tr_original"]), len(root["tr_files"]["prj2"])))
        original.pack_for_saving(root)
    assert sizes[1] == sizes[2] and sizes[1][0] < 2 * len(wanted) < sizes[0][0] and sizes[1][1] < sizes[0][1]
    original.forget()
    assert export_level(root).level.to_bytes() == wanted
    assert original.load_files(root)[".prj2"] == content
