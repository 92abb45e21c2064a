"""Tests of the choice of the active tile: in an Image Editor, from a file, and from the palette."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.authoring.texture_tiles.pieces import level_pieces, whole_pixels
from io_tomb_raider.ui.texture_tiles import panels, tools
from io_tomb_raider.ui.texture_tiles.brush import pick
from io_tomb_raider.ui.texture_tiles.choosing import TOMB_RAIDER_OT_choose_tile
from io_tomb_raider.ui.texture_tiles.counts import count_of
from io_tomb_raider.ui.texture_tiles.overlay import grid_lines, tile_outline
from io_tomb_raider.ui.texture_tiles.palette import palette
from io_tomb_raider.ui.texture_tiles.settings import active_tile, remember_tile
from tests.games import each_game
from tests.scene.page_levels import user_image
from tests.scene.scenes import objects

from ..recorder import draw, shown
from ..user_actions import export_file, import_sample, select, start_as_users, write_image

# What the recorder needs to show panels of the active tool.
BRUSH_TOOL = SimpleNamespace(
    tools=SimpleNamespace(from_space_view3d_mode=lambda *_, **__: SimpleNamespace(idname=tools.BRUSH))
)

# Replaces an operator that reports.
SILENT: Any = SimpleNamespace(report=lambda *_: None)


@contextmanager
def in_image_editor(image: Any = None) -> Iterator[Any]:
    """Turn a 3D view into an Image Editor, set the context to it, and yield its space."""
    window = bpy.context.window_manager.windows[0]
    area: Any = next(each for each in window.screen.areas if each.type in ("VIEW_3D", "IMAGE_EDITOR"))
    area.type = "IMAGE_EDITOR"
    region = next(each for each in area.regions if each.type == "WINDOW")
    try:
        with bpy.context.temp_override(window=window, area=area, region=region):
            area.spaces.active.image = image
            yield area.spaces.active
    finally:
        area.type = "VIEW_3D"


def tile_set(height: int = 512, width: int = 64) -> Any:
    """Return a picture with a transparent pixel in its second cell of 64 pixels."""
    texels = np.full((height, width, 4), 255, np.uint8)
    texels[70:71, 5, 3] = 0
    return user_image(texels, "Tall")


@pytest.fixture
def settings(blender: ModuleType) -> Any:
    start_as_users()
    palette.free()
    return bpy.context.scene.tomb_raider.texturing


def choose(start: tuple[float, float], end: tuple[float, float] | None = None) -> None:
    assert bpy.ops.tomb_raider.choose_tile(start=start, end=end or start) == {"FINISHED"}


def test_a_click_chooses_a_cell_of_a_tall_tile_set(settings: Any) -> None:
    image = tile_set(4096, 256)
    settings.tile.double_sided = True
    settings.tile.turns, settings.tile.mirrored = 3, True
    with in_image_editor(image):
        choose((130.5, 4000.5))
    assert settings.tile.image == image and tuple(settings.tile.area) == (128, 3968, 64, 64)
    assert (settings.tile.turns, settings.tile.mirrored) == (0, False)
    assert settings.tile.double_sided and settings.tile.blending == "OPAQUE"


def test_transparent_pixels_of_a_cell_are_cut_out(settings: Any) -> None:
    with in_image_editor(tile_set()):
        choose((3.0, 65.0))
        assert settings.tile.blending == "ALPHA"
        choose((3.0, 3.0))
        assert settings.tile.blending == "OPAQUE"


def test_a_drag_chooses_cells_or_any_pixels(settings: Any) -> None:
    with in_image_editor(tile_set()):
        settings.grid = "32"
        choose((40.0, 70.0), (5.0, 33.0))
        assert tuple(settings.tile.area) == (0, 32, 64, 64)
        settings.grid = "FREE"
        choose((10.2, 20.7), (19.9, 24.1))
        assert tuple(settings.tile.area) == (10, 20, 10, 5)


@each_game
def test_a_click_without_a_grid_chooses_a_piece_of_the_level(
    settings: Any, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    piece = level_pieces(root)[0]
    left, top, width, height = whole_pixels(piece.area)
    settings.grid = "FREE"
    with in_image_editor(piece.image):
        choose((left + width / 2, top + height / 2))
    assert settings.tile.image == piece.image
    assert settings.tile.area[2] * settings.tile.area[3] <= piece.area[2] * piece.area[3]
    assert any(np.allclose(settings.tile.area, each.area) for each in level_pieces(root))


def test_a_click_without_a_grid_outside_of_all_pieces_chooses_nothing(settings: Any, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr4")
    settings.grid = "FREE"
    with in_image_editor(tile_set()):
        assert bpy.ops.tomb_raider.choose_tile(start=(3.0, 3.0), end=(3.0, 3.0)) == {"CANCELLED"}
    assert settings.tile.image is None


def test_only_pictures_have_tiles(settings: Any) -> None:
    with in_image_editor(), pytest.raises(RuntimeError, match="Image Editor that shows a picture"):
        bpy.ops.tomb_raider.choose_tile()
    with pytest.raises(RuntimeError, match="Image Editor that shows a picture"):
        bpy.ops.tomb_raider.choose_tile()


def test_a_scene_of_another_file_gets_no_tile(settings: Any) -> None:
    linked = SimpleNamespace(is_editable=False)
    with in_image_editor(tile_set()) as space:
        for scene, can in ((bpy.context.scene, True), (linked, False), (None, False)):
            context: Any = SimpleNamespace(scene=scene, space_data=space)
            assert TOMB_RAIDER_OT_choose_tile.poll(context) == can


def test_the_outline_of_the_tile_is_where_the_image_shows_it(settings: Any) -> None:
    image, other = tile_set(), tile_set(64)
    with in_image_editor(image) as space:
        choose((3.0, 65.0))
        corners = tile_outline(bpy.context)
        assert corners is not None
        assert np.allclose(corners, [(0, 0.875), (1, 0.875), (1, 0.75), (0, 0.75)])
        space.image = other
        assert tile_outline(bpy.context) is None


def test_the_grid_has_a_line_between_all_cells() -> None:
    ends = grid_lines((96, 64), 32)
    assert ends.tolist() == pytest.approx(
        np.array([(1 / 3, 0), (1 / 3, 1), (2 / 3, 0), (2 / 3, 1), (0, 0.5), (1, 0.5)])
    )
    assert len(grid_lines((16, 16), 32)) == 0


# --- Files -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("grid", ["16", "64", "FREE"])
def test_a_tile_set_is_opened_and_shown(settings: Any, tmp_path: Path, grid: str) -> None:
    path = write_image(tmp_path / "tiles.png", (256, 1024), (1.0, 0.5, 0.0, 1.0))
    settings.grid = grid
    with in_image_editor() as space:
        assert bpy.ops.tomb_raider.open_tile_set(filepath=str(path)) == {"FINISHED"}
        assert space.image.name == "tiles.png"
    side = 64 if grid == "FREE" else int(grid)
    assert settings.tile.image.name == "tiles.png" and tuple(settings.tile.area) == (0, 0, side, side)
    # Opened again, it is the same image.
    assert bpy.ops.tomb_raider.open_tile_set(filepath=str(path)) == {"FINISHED"}
    assert sum(each.name.startswith("tiles") for each in bpy.data.images) == 1


def test_files_that_are_no_image_are_refused(settings: Any, tmp_path: Path) -> None:
    path, before = tmp_path / "tiles.png", len(bpy.data.images)
    path.write_text("no image")
    with pytest.raises(RuntimeError, match="is no image that Blender can open"):
        bpy.ops.tomb_raider.open_tile_set(filepath=str(path))
    with pytest.raises(RuntimeError, match="is no image that Blender can open"):
        bpy.ops.tomb_raider.open_tile_set(filepath=str(tmp_path / "missing.png"))
    assert len(bpy.data.images) == before and settings.tile.image is None


# --- The palette -----------------------------------------------------------------------------------


def items() -> dict[str, tuple[str, str]]:
    """Return the name and description of what the palette offers, without the active tile."""
    return {item[0]: (item[1], item[2]) for item in palette.items(bpy.context)[1:]}


@each_game
def test_the_palette_offers_the_pieces_of_the_level(settings: Any, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    select(objects(root, "ROOM")[0])
    pieces, scene = level_pieces(root), bpy.context.scene
    settings.palette = "LEVEL"
    assert len(items()) == len(pieces)
    # Choosing the third one makes it the active tile, with its look.
    scene.tomb_raider_palette = "3"
    tile = active_tile(bpy.context)
    assert tile.image == pieces[2].image and tile.attribute == min(pieces[2].attribute, 2)
    assert np.allclose(tile.area, pieces[2].area)
    # Of one page: that of the tile, or a chosen one.
    settings.palette = "PAGE"
    here = [piece for piece in pieces if piece.image == tile.image]
    assert len(items()) == len(here)
    settings.page = other = pieces[-1].image
    assert {description for _, description in items().values()} == {other.name}


def test_recent_tiles_keep_their_orientation_and_sides(
    settings: Any, tmp_path: Path, level: Collection
) -> None:
    scene: Any = bpy.context.scene
    settings = scene.tomb_raider.texturing
    assert pick(SILENT, bpy.context, objects(level, "ROOM")[0], 0) == {"FINISHED"}
    settings.tile.turns, settings.tile.mirrored, settings.tile.double_sided = 1, True, True
    used = active_tile(bpy.context)
    remember_tile(bpy.context, used)
    settings.palette = "LEVEL"
    items()
    scene.tomb_raider_palette = "2"
    settings.tile.double_sided = False
    assert active_tile(bpy.context) != used
    settings.palette = "RECENT"
    assert len(items()) == 1
    scene.tomb_raider_palette = "1"
    assert active_tile(bpy.context) == used


def test_favorites_are_added_and_removed(settings: Any) -> None:
    with pytest.raises(RuntimeError, match="Choose a tile first"):
        bpy.ops.tomb_raider.toggle_favorite()
    with in_image_editor(tile_set()):
        for row in range(3):
            choose((1.0, row * 64.0))
            assert bpy.ops.tomb_raider.toggle_favorite() == {"FINISHED"}
    settings.palette = "FAVORITES"
    assert len(items()) == 3
    bpy.context.scene.tomb_raider_palette = "1"
    assert tuple(settings.tile.area) == (0, 0, 64, 64)
    # Turned, it is still the same favorite.
    settings.tile.turns = 2
    assert bpy.ops.tomb_raider.toggle_favorite() == {"FINISHED"}
    assert len(items()) == len(settings.favorites) == 2


def test_the_palette_survives_undo_and_deleted_images(settings: Any, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr3")
    settings.palette = "LEVEL"
    before = len(items())
    bpy.ops.ed.undo_push(message="Before")
    bpy.context.scene.tomb_raider.texturing.grid = "16"
    bpy.ops.ed.undo_push(message="Grid")
    bpy.ops.ed.undo()
    settings = bpy.context.scene.tomb_raider.texturing
    assert settings.grid == "64" and len(items()) == before
    bpy.context.scene.tomb_raider_palette = "1"
    bpy.data.images.remove(settings.tile.image)
    assert len(items()) < before
    bpy.context.scene.tomb_raider_palette = "1"
    assert settings.tile.image is not None


def test_pictures_are_made_once_and_again_after_a_refresh(settings: Any, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    settings.palette = "LEVEL"
    items()
    made = len(palette._previews)
    assert 0 < made <= len(items())
    palette._listed = ()
    items()
    assert len(palette._previews) == made
    image: Any = level_pieces(next(each for each in bpy.data.collections if each.tomb_raider.images))[0].image
    image.pixels.foreach_set(np.full(image.size[0] * image.size[1] * 4, 0.25, np.float32))
    assert bpy.ops.tomb_raider.refresh_palette() == {"FINISHED"}
    before = items()
    assert len(palette._previews) > made
    # A face shows another piece of its page.
    mesh: Any = objects(root, "ROOM")[0].data
    corners = [mesh.uv_layers.active.data[corner] for corner in mesh.polygons[0].loop_indices]
    middle = sum((corner.uv for corner in corners), Vector((0, 0))) / len(corners)
    for corner in corners:
        corner.uv = middle.lerp(corner.uv, 0.5)
    assert items() == before
    assert bpy.ops.tomb_raider.refresh_palette() == {"FINISHED"}
    assert items() != before


def test_the_first_item_is_the_active_tile(settings: Any, level: Collection) -> None:
    settings = bpy.context.scene.tomb_raider.texturing
    settings.palette = "LEVEL"
    for _ in range(2):
        others = items()
        assert palette.items(bpy.context)[0][:2] == ("ACTIVE", "No Tile")
        settings.tile.image, settings.tile.area = level_pieces(level)[0].image, (3, 5, 8, 9)
        assert palette.items(bpy.context)[0][:2] == ("ACTIVE", "8 x 9 at 3, 5")
        settings.tile.area = (3, 6, 8, 9)
        assert palette.items(bpy.context)[0][:2] == ("ACTIVE", "8 x 9 at 3, 6")
        assert items() == others
        settings.tile.image = None
        palette.forget()


def test_a_scene_without_a_level_has_an_empty_palette(settings: Any) -> None:
    for source in ("PAGE", "LEVEL", "RECENT", "FAVORITES"):
        settings.palette = source
        assert items() == {}
    assert bpy.context.scene.tomb_raider_palette == "ACTIVE"


# --- Panels ----------------------------------------------------------------------------------------


@each_game
def test_the_number_of_object_textures_left_is_that_of_an_export(
    settings: Any, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    room = objects(root, "ROOM")[0]
    select(room)
    panel = shown(panels.VIEW3D_PT_tomb_raider_object_textures, workspace=BRUSH_TOOL)
    assert "Count" in panel.texts
    with in_image_editor(tile_set()):
        choose((3.0, 3.0))
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    assert bpy.ops.tomb_raider.paint_selected() == {"FINISHED"}
    assert bpy.ops.tomb_raider.refresh_palette() == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH"
    count = count_of(root)
    assert count is not None
    panel = shown(panels.VIEW3D_PT_tomb_raider_object_textures)
    assert f"{count.limit - count.total:,} left of {count.limit:,}" in panel.labels
    assert "Counted before you painted" not in panel.labels
    assert bpy.ops.tomb_raider.paint_selected() == {"FINISHED"}
    assert "Counted before you painted" in shown(panels.VIEW3D_PT_tomb_raider_object_textures).labels
    bpy.ops.object.mode_set(mode="OBJECT")
    written = read_level(export_file(tmp_path / "out"))
    assert count.total == len(written.object_textures) == sum(count.pages.values())
    assert count.limit == {1: 2048, 2: 2048, 3: 4096, 4: 0x7FFF, 5: 0x3FFF}[int(game.name[2])]
    for page, number in count.pages.items():
        assert f"Page {page}: {number}" in panel.labels


def test_the_panel_shows_the_active_tile(settings: Any, level: Collection) -> None:
    room = objects(level, "ROOM")[0]
    select(room)
    assert draw(panels.VIEW3D_PT_tomb_raider_brush) is None
    panel = shown(panels.VIEW3D_PT_tomb_raider_brush, workspace=BRUSH_TOOL)
    assert "No tile is chosen" in panel.labels
    settings = bpy.context.scene.tomb_raider.texturing
    assert pick(SILENT, bpy.context, room, 0) == {"FINISHED"}
    settings.tile.turns, settings.tile.mirrored = 1, True
    panel = shown(panels.VIEW3D_PT_tomb_raider_brush, workspace=BRUSH_TOOL)
    left, top, width, height = whole_pixels(tuple(settings.tile.area))
    assert f"{width} x {height} at {left}, {top}" in panel.labels
    assert settings.tile.image.name in panel.labels and "Turned by 90°, mirrored" in panel.labels
    assert {"tomb_raider_palette", "blending", "double_sided", "palette", "page"} <= set(panel.names)
    assert "tomb_raider.toggle_favorite" in dict(panel.operators)
    # In edit mode without the tool, too, with the selected faces.
    bpy.ops.object.mode_set(mode="EDIT")
    assert "tomb_raider.paint_selected" in dict(shown(panels.VIEW3D_PT_tomb_raider_brush).operators)


def test_the_image_editor_shows_grid_and_tile(settings: Any, level: Collection) -> None:
    with in_image_editor(tile_set()) as space:
        choose((3.0, 65.0))
        panel = shown(panels.IMAGE_PT_tomb_raider_tile, space_data=space)
    assert "grid" in panel.names and "64 x 64 at 0, 64" in panel.labels
    assert "tomb_raider.open_tile_set" in dict(panel.operators)


def test_tools_have_icons_that_this_blender_has(blender: ModuleType) -> None:
    folder = Path(bpy.utils.system_resource("DATAFILES", path="icons"))
    for tool in tools._TOOLS:
        assert (folder / f"{tool.bl_icon}.dat").is_file(), tool.bl_icon


def test_painted_pixels_are_seen_in_the_palette(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one page; tiles of others keep their pictures. Unchanged pixels are drawn once."""
    root = import_sample(tmp_path, "tr4")
    settings.palette = "LEVEL"
    pieces = level_pieces(root)
    image: Any = pieces[0].image
    clock = iter(range(100))
    monkeypatch.setattr(palette, "_looked", 0.0)  # earlier tests looked by another clock
    monkeypatch.setattr("io_tomb_raider.ui.texture_tiles.palette.monotonic", lambda: next(clock))
    monkeypatch.setattr(palette, "_looked", 0.0)

    def pictures() -> dict[Any, str]:
        palette.items(bpy.context)
        return dict(palette._names)

    before = pictures()
    pixels = np.array(image.pixels[:], np.float32).reshape(-1, 4)
    pixels[:, :3] = 1 - pixels[:, :3]
    image.pixels.foreach_set(pixels.ravel())
    image.update()
    after = pictures()
    assert len(before) == len(pieces) and before.keys() == after.keys()
    for key, name in after.items():
        assert (before[key] != name) == (key[0] == image.session_uid), key
    assert pictures() == after
    # Saved pixels are no longer looked at.
    image.pack()
    assert not image.is_dirty and pictures() == after and palette._painted == {}


def test_a_tile_set_stays_in_the_uv_editor(settings: Any, tmp_path: Path) -> None:
    """Otherwise the UV Editor would show the image of the active face when another one is clicked."""
    path = write_image(tmp_path / "tiles.png", (64, 64), (1.0, 0.5, 0.0, 1.0))
    with in_image_editor() as space:
        space.mode = "UV"
        assert bpy.ops.tomb_raider.open_tile_set(filepath=str(path)) == {"FINISHED"}
        assert space.use_image_pin and space.image.name == "tiles.png"
        space.use_image_pin = False
        space.mode = "VIEW"
        assert bpy.ops.tomb_raider.open_tile_set(filepath=str(path)) == {"FINISHED"}
        assert not space.use_image_pin
