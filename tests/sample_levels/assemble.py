"""Complete sample levels, for every game and every variant of its files."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from struct import pack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, Variant
from io_tomb_raider.formats.base.arrays.typing import Pixels
from io_tomb_raider.formats.levels.level.layouts import LAYOUTS, TR4_EARLY_DEMOS
from io_tomb_raider.formats.levels.sounds.waves import read_wave

from . import world
from .colors import choose_palette, make_light_map, to_argb1555, to_bgra, to_palette
from .models import STATIC_IDS, model_id
from .packing import pack_animations, pack_meshes, pack_static_meshes
from .plan import ROOMS, VOID, RoomPlan
from .rooms import build_room
from .sectors import build_ground
from .texture_records import TextureTable, sprite_sequences, sprite_textures
from .textures import draw_misc_pages, draw_pages

VERSIONS = {Game.TR1: 0x20, Game.TR2: 0x2D, Game.TR3: 0xFF180038, Game.TR4: 0x00345254, Game.TR5: 0x00345254}
TEXTILES_ONLY = 0xFF180034
_TRNG_SOUNDS = 2048


def sample_level(
    game: Game,
    variant: Variant = Variant.RETAIL,
    *,
    trng: bool = False,
    textiles_only: bool = False,
    early_layout: int = 0,
    degenerate: bool = True,
) -> Level:
    """Return a small, complete level without foreign rights.

    Args:
        game: TR1 to TR5.
        variant: DEMO exists for TR1 and TR2, EARLY_DEMO for TR4.
        trng: a TR4 level with the footer and the long sound map of the TRNG tools.
        textiles_only: a TR3 file that ends after the textiles.
        early_layout: the layout of an early demo.
        degenerate: put faces that use a vertex twice into one mesh.
    """
    made = _made_once(game, variant, trng, textiles_only, early_layout, degenerate)
    # A copy, as tests change their levels; only shared data is not copied.
    return deepcopy(made, {id(made.layout): made.layout})


@cache
def _made_once(*choice: Any) -> Level:
    return make_level(*choice)


def make_level(
    game: Game, variant: Variant, trng: bool, textiles_only: bool, early_layout: int, degenerate: bool
) -> Level:
    """Make the level that :func:`sample_level` copies."""
    layout = TR4_EARLY_DEMOS[early_layout] if variant is Variant.EARLY_DEMO else LAYOUTS[game, variant]
    level = Level(game, variant, layout)
    level.version = TEXTILES_ONLY if textiles_only else VERSIONS[game]
    level.level_number = 0
    _set_textiles(level)
    if textiles_only:
        level.rooms = []
        level.ends_at = 4 + 768 + 1024 + 4 + level.textiles8.size + 2 * level.textiles16.size
        return level
    rooms = (*ROOMS, VOID) if game is Game.TR5 else ROOMS
    _set_world(level, rooms, degenerate)
    _set_inhabitants(level, rooms)
    _set_sounds(level, trng)
    if game >= Game.TR4:
        level.__dict__["filler"] = np.full(6, 0xCD if game is Game.TR5 else 0, np.uint8)
    level.footer = np.frombuffer(_trng_footer() if trng else b"", np.uint8)
    level.has_trng_footer = trng
    return level


def sample_bytes(game: Game, variant: Variant = Variant.RETAIL, **options: bool | int) -> bytes:
    """Return the file of :func:`sample_level`."""
    return _sample_bytes(game, variant, tuple(sorted(options.items())))


@cache
def _sample_bytes(game: Game, variant: Variant, options: tuple[tuple[str, bool | int], ...]) -> bytes:
    return sample_level(game, variant, **dict(options)).to_bytes()  # type: ignore[arg-type]


@cache
def _pages(with_bumps: bool) -> Pixels:
    return draw_pages(with_bumps)


@cache
def _palette() -> NDArray[np.uint8]:
    return choose_palette(_pages(False))


def _set_textiles(level: Level) -> None:
    game = level.game
    pages = _pages(game >= Game.TR4)
    if game >= Game.TR4:
        level.room_textiles, level.object_textiles, level.bump_textiles = 1, 2, 2
        level.textiles32, level.textiles16 = to_bgra(pages), to_argb1555(pages)
        level.misc_textiles32 = to_bgra(draw_misc_pages(2 if game is Game.TR4 else 3))
        return
    palette = _palette()
    # The first two games' palettes have six bits per channel, that of TR3 eight.
    level.palette = palette >> np.uint8(2) if game <= Game.TR2 else palette
    level.textiles8 = to_palette(pages, palette)
    level.light_map = make_light_map(palette)
    if game >= Game.TR2:
        level.palette16 = np.concatenate([palette, np.zeros((256, 1), np.uint8)], 1)
        level.textiles16 = to_argb1555(pages)


def _set_world(level: Level, rooms: tuple[RoomPlan, ...], degenerate: bool) -> None:
    game = level.game
    textures = TextureTable(game)
    ground = build_ground(game, rooms)
    level.rooms = [build_room(game, plan, rooms, ground, textures, STATIC_IDS) for plan in rooms]
    level.floor_data, level.boxes = ground.floor_data, ground.boxes
    level.overlaps, level.zones = ground.overlaps, ground.zones
    meshes = pack_meshes(game, textures, degenerate)
    level.mesh_data, level.mesh_pointers = meshes.mesh_data, meshes.mesh_pointers
    level.__dict__.update(vars(pack_animations(game, meshes.first_mesh)))
    level.static_meshes = pack_static_meshes(meshes.first_mesh)
    level.object_textures = textures.records()
    level.animated_textures = textures.animated()
    level.sprite_textures = sprite_textures(game)
    level.sprite_sequences = sprite_sequences(
        *(model_id(game, name) for name in ("plant", "medikit_sprite", "flame0"))
    )


def _set_inhabitants(level: Level, rooms: tuple[RoomPlan, ...]) -> None:
    game = level.game
    level.entities = world.build_entities(game, rooms)
    level.cameras = world.build_cameras(rooms)
    level.sound_sources = world.build_sound_sources(rooms)
    level.demo_data = np.zeros(0, np.uint8)
    if game >= Game.TR4:
        level.flyby_cameras = world.build_flyby_cameras(rooms)
        level.ai_objects = world.build_ai_objects(game, rooms)
        level.uv_rotates = 0
    else:
        level.cinematic_frames = world.build_cinematic_frames()
        level.demo_data = world.build_demo(game, rooms)
    if game is Game.TR5:
        level.lara_type, level.weather = 0, 1
        level.__dict__["weather_filler"] = np.zeros(28, np.uint8)


def _set_sounds(level: Level, trng: bool) -> None:
    game = level.game
    waves = world.build_waves(game)
    level.sound_map = world.build_sound_map(game, _TRNG_SOUNDS if trng else 0)
    level.sound_map_counted = trng
    level.sound_details = world.build_sound_details(game)
    level.sample_indices = np.arange(len(waves), dtype="<u4")
    if game is Game.TR1:
        level.sample_data = np.frombuffer(b"".join(waves), np.uint8)
        level.sample_indices = np.cumsum([0, *map(len, waves)])[:-1].astype("<u4")
    elif game >= Game.TR4:
        sizes = [2 * (read_wave(sound).frames or 0) or len(sound) for sound in waves]
        stored = [pack("<II", size, len(sound)) + sound for size, sound in zip(sizes, waves, strict=True)]
        level.samples = np.frombuffer(b"".join(stored), np.uint8)
        level.sample_count = len(waves)
    elif level.variant is Variant.RETAIL:
        level.sample_indices = np.array(world.MAIN_SFX_NUMBERS, "<u4")
    else:
        level.samples = np.frombuffer(b"".join(waves), np.uint8)
        level.sample_count = len(waves)


def _trng_footer() -> bytes:
    """Return a footer with two chunks: flags of the level, and the version of its tool."""
    chunks = b"".join(
        pack("<HH", 2 + len(payload) // 2, number) + payload
        for number, payload in ((0x800D, pack("<I", 1)), (0x8024, pack("<HH", 1, 3)))
    )
    size = 2 + len(chunks) + 12
    return b"NG" + chunks + pack("<I4sI", 0, b"NGLE", size)
