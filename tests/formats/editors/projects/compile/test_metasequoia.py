"""Tests of models of Metasequoia."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.editors.projects.compile.rooms.metasequoia import decode_mqo, load_mqo

from .compile_samples import MQO


def test_a_model(tmp_path: Path) -> None:
    (tmp_path / "Texture").mkdir()
    (tmp_path / "WALL.PNG").write_bytes(b"")
    (tmp_path / "Texture" / "glass.png").write_bytes(b"")
    (tmp_path / "a.mqo").write_text(MQO)
    model = load_mqo(tmp_path / "a.mqo")
    points = model.positions[model.triangles]
    assert points[:2].tolist() == [
        [[0, 0, 0], [100, 0, 0], [100, 50, 0]],
        [[0, 0, 0], [100, 50, 0], [0, 50, 25]],
    ]
    assert points[3].tolist() == [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert model.uv[1].tolist() == [[0, 1], [1, 0], [0, 0]]
    assert model.material.tolist() == [0, 0, 1, 0]
    assert [each and each.name.lower() for each in model.images] == ["wall.png", "glass.png"]
    assert model.double_sided == [False, True] and model.additive == [False, True]
    assert model.colors is not None
    red, gray, white = 2 * 255 / 256, 2 * 128 / 256, 2.0
    assert model.colors[:3].tolist() == [[red, 0, 0]] * 3
    assert model.colors[5].tolist() == [gray] * 3 and model.colors[6].tolist() == [white] * 3


def test_inverted_polygons() -> None:
    model = decode_mqo(MQO.encode(), inverted=True)
    points = model.positions[model.triangles]
    assert points[0].tolist() == [[0, 50, 25], [100, 50, 0], [100, 0, 0]]
    assert model.images == [None, None]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Metasequoia Document", "Document"),
        ("V(0 1 2 3)", "V(0 1 2)"),
        ("V(0 1 2 3)", "V(0 1 2 9)"),
        ("V(0 1 2 3)", "V(0 1 2 -1)"),
        ("M(1)", "M(7)"),
        ("UV(0.0 0.0 0.5", "UV(0.0 0.5"),
        ("100.0000 0.0000 0.0000", "100.0000 0.0000"),
        ("100.0000 0.0000 0.0000", "nan 0.0000 0"),
        ("vertex 3", "vertex 999"),
        ("face 1 {", "face x {"),
        ("COL(4278190335", "COL(1.5"),
    ],
)
def test_damaged_models_are_errors(old: str, new: str) -> None:
    assert old in MQO
    with pytest.raises(FormatError):
        decode_mqo(MQO.replace(old, new, 1).encode())


@given(at=st.integers(0, len(MQO) - 1), new=st.binary(max_size=4), length=st.integers(0, 40))
@example(at=0, new=b"\xff\xfe", length=2)
def test_any_damage_is_an_error_or_a_model(at: int, new: bytes, length: int) -> None:
    data = MQO.encode()
    try:
        model = decode_mqo(data[:at] + new + data[at + length :])
    except FormatError:
        return
    assert np.isfinite(model.positions).all()
    assert len(model.triangles) == 0 or model.triangles.max() < len(model.positions)
    assert len(model.material) == 0 or model.material.max() < len(model.images)
