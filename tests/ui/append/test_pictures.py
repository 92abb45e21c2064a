"""Tests of previews and dependencies in the Append dialog."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.assets.assets import assets_of
from io_tomb_raider.scene.assets.previews import put_preview
from io_tomb_raider.ui.append.operators import TOMB_RAIDER_OT_append, TOMB_RAIDER_UL_pieces, TombRaiderEntry
from io_tomb_raider.ui.append.pictures import pictures
from tests.empty_scene import start_empty
from tests.sample_levels.models import model_id

from ..recorder import Layout
from ..user_actions import import_sample, levels, sample_file


class Rows(list[Any]):
    """Replaces a collection property."""

    def add(self) -> Any:
        self.append(
            SimpleNamespace(name="", kind="", number=0, is_chosen=False, bl_rna=TombRaiderEntry.bl_rna)
        )
        return self[-1]


class Dialog:
    """Replaces the operator, which needs a window: its settings, and its methods."""

    def __init__(self, path: Path) -> None:
        self.bl_rna = bpy.ops.tomb_raider.append.get_rna_type()
        values = {each.identifier: getattr(each, "default", None) for each in self.bl_rna.properties}
        self.__dict__.update(values, filepath=str(path), pieces=Rows(), active=0, shown="model")
        self.reports: list[str] = []

    def level(self, _context: Any) -> Any:
        return levels()[0]

    def report(self, _kind: Any, text: str) -> None:
        self.reports.append(text)

    def __getattr__(self, name: str) -> Any:
        found = getattr(TOMB_RAIDER_OT_append, name)
        return found.__get__(self) if callable(found) else found

    def invoke(self) -> None:
        manager = SimpleNamespace(invoke_props_dialog=lambda *_, **__: {"RUNNING_MODAL"})
        context: Any = SimpleNamespace(window_manager=manager)
        assert TOMB_RAIDER_OT_append.invoke(self, context, None) == {"RUNNING_MODAL"}  # type: ignore[arg-type]

    def drawn(self, kind: str, number: int) -> Layout:
        """Pick a piece, and return what the dialog draws, with all rows of its kind."""
        self.shown = kind
        self.active = next(
            place for place, each in enumerate(self.pieces) if (each.kind, each.number) == (kind, number)
        )
        self.layout = layout = Layout()
        TOMB_RAIDER_OT_append.draw(self, bpy.context)  # type: ignore[arg-type]
        row: Any = SimpleNamespace()
        for each in self.pieces:
            if each.kind == kind:
                TOMB_RAIDER_UL_pieces.draw_row(row, layout, each)  # type: ignore[arg-type]
        return layout


@pytest.fixture
def numbered(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Number previews as Blender does in a window; return the list of requested ones."""
    asked: list[tuple[str, int]] = []

    def icon(kind: str, number: int, *, is_picked: bool = False) -> int:
        if pictures.preview(kind, number, is_picked=is_picked) is None:
            return 0
        asked.append((kind, number))
        return len(asked)

    monkeypatch.setattr(pictures, "icon", icon)
    monkeypatch.setattr("io_tomb_raider.ui.append.pictures._BUDGET", 60.0)
    return asked


def large(kind: str, number: int) -> np.ndarray:
    preview = pictures.preview(kind, number, is_picked=True)
    found = np.empty(preview.image_size[0] * preview.image_size[1] * 4, np.float32)
    preview.image_pixels_float.foreach_get(found)
    return found.reshape(preview.image_size[1], preview.image_size[0], 4)


def test_pieces_are_seen_large_and_in_their_rows(
    blender: ModuleType, tmp_path: Path, numbered: list[tuple[str, int]]
) -> None:
    import_sample(tmp_path, "tr1")
    dialog, enemy = Dialog(sample_file(tmp_path, "tr2")), model_id(Game.TR2, "enemy")
    dialog.invoke()
    try:
        shown = dialog.drawn("model", enemy)
        assert shown.pictures == [1] and numbered[0] == ("model", enemy)
        models = [each for each in dialog.pieces if each.kind == "model"]
        assert set(numbered) == {("model", each.number) for each in models}
        assert not any(each.kind == "sprite" for each in dialog.pieces if ("sprite", each.number) in numbered)
        assert shown.labels.count(next(each.name for each in models if each.number == enemy)) == 2
        found = large("model", enemy)
        assert found.shape == (128, 128, 4) and 0.1 < (found[..., 3] > 0).mean() < 0.9
        sprite = next(each.number for each in dialog.pieces if each.kind == "sprite")
        assert dialog.drawn("sprite", sprite).pictures
        small = pictures.preview("sprite", sprite)
        assert tuple(small.icon_size) == (32, 32)
        # Sounds of TR2 are in a separate file.
        assert (
            dialog.drawn("sound", next(e.number for e in dialog.pieces if e.kind == "sound")).pictures == []
        )
    finally:
        dialog.cancel(bpy.context)
    assert pictures.preview("model", enemy, is_picked=True) is None


def test_the_checked_piece_is_previewed_until_a_row_is_selected(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_sample(tmp_path, "tr1")
    dialog = Dialog(sample_file(tmp_path, "tr2"))
    dialog.invoke()
    manager: Any = bpy.types.WindowManager
    monkeypatch.setattr(manager, "tried", bpy.props.CollectionProperty(type=TombRaiderEntry), raising=False)
    try:
        lara, enemy = (model_id(Game.TR2, name) for name in ("lara", "enemy"))
        names = {each.number: each.name for each in dialog.pieces if each.kind == "model"}
        assert dialog.drawn("model", lara).labels[0] == names[lara]
        ticked: Any = bpy.context.window_manager.tried.add()
        ticked.kind, ticked.number, ticked.is_chosen = "model", enemy, True
        assert dialog.drawn("model", lara).labels[0] == names[enemy]
        other = next(number for number in names if number not in (lara, enemy))
        assert dialog.drawn("model", other).labels[0] == names[other]
        assert dialog.drawn("model", lara).labels[0] == names[lara]
    finally:
        dialog.cancel(bpy.context)


def test_previews_of_rows_are_skipped_without_time_left(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_sample(tmp_path, "tr1")
    dialog = Dialog(sample_file(tmp_path, "tr4"))
    dialog.invoke()
    try:
        monkeypatch.setattr("io_tomb_raider.ui.append.pictures._BUDGET", -1.0)
        pictures.start_drawing()
        assert pictures.preview("model", 0) is None
        assert pictures.preview("model", 0, is_picked=True) is not None
        assert pictures.preview("model", 0) is not None  # known from now on
    finally:
        pictures.end()


def test_the_dialog_lists_requirements_of_a_model(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr1")
    dialog = Dialog(sample_file(tmp_path, "tr1", "other.phd"))
    dialog.invoke()
    try:
        item = dialog.pieces.add()
        item.kind, item.number, item.name = "model", 11, "Mummy"  # a model that needs sounds
        shown = dialog.drawn("model", 11)
        assert "Needs" in shown.labels
        needed = shown.labels[shown.labels.index("Needs") + 1 :]
        assert any("(missing)" in each for each in needed), needed
        assert "Needs" not in dialog.drawn("static", dialog_number(dialog, "static")).labels
        dialog.shown = "room"
        dialog.layout = layout = Layout()
        TOMB_RAIDER_OT_append.draw(dialog, bpy.context)  # type: ignore[arg-type]
        assert "Select an entry to preview it" in layout.labels and not layout.pictures
    finally:
        pictures.end()


def dialog_number(dialog: Dialog, kind: str) -> int:
    return next(int(each.number) for each in dialog.pieces if each.kind == kind)


def test_assets_of_a_blend_have_the_pictures_of_that_file(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    enemy = model_id(Game.TR1, "enemy")
    asset = next(each for each in assets_of(root, ["MODELS"]) if each.number == enemy)
    assert asset.block is not None
    asset.block.asset_mark()
    drawn = np.zeros((128, 128, 4), np.float32)
    drawn[:64] = (1, 0, 0, 1)
    put_preview(asset.block, drawn)
    path = tmp_path / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    start_empty()
    import_sample(tmp_path, "tr1")
    dialog = Dialog(path)
    dialog.invoke()
    try:
        assert np.array_equal(large("model", enemy), drawn)
        assert not np.array_equal(large("model", 0), drawn)
    finally:
        pictures.end()


def test_pictures_are_gone_once_something_was_appended_or_the_extension_is(
    blender: ModuleType, extension: Any, tmp_path: Path
) -> None:
    import_sample(tmp_path, "tr1")
    source = sample_file(tmp_path, "tr2")
    Dialog(source).invoke()
    assert pictures.preview("model", 0, is_picked=True) is not None
    assert bpy.ops.tomb_raider.append(filepath=str(source), models=str(model_id(Game.TR2, "enemy"))) == {
        "FINISHED"
    }
    assert pictures.preview("model", 0, is_picked=True) is None
    Dialog(source).invoke()
    extension.unregister()
    assert pictures.preview("model", 0, is_picked=True) is None
    extension.register()
