"""Objects of the sample levels: entities, AI objects, cameras, demos and sounds."""

from __future__ import annotations

from struct import pack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import (
    AI_OBJECT,
    CAMERA,
    CINEMATIC_FRAME,
    ENTITY,
    FLYBY_CAMERA,
    SOUND_DETAILS,
    SOUND_MAP_SIZE,
    SOUND_SOURCE,
)
from io_tomb_raider.formats.levels.sounds.waves import encode_adpcm_wave

from .models import model_id
from .plan import CLICK, ENTITIES, SECTOR, RoomPlan

_DEGREE = 182  # of a turn of 65536


def _world(room: RoomPlan, x: float, z: float, y: float) -> tuple[int, int, int]:
    return round((room.origin[0] + x) * SECTOR), round(y * CLICK), round((room.origin[1] + z) * SECTOR)


def build_entities(game: Game, rooms: tuple[RoomPlan, ...]) -> NDArray[Any]:
    """Return all entities in the order of the plan, to which triggers refer."""
    index = {room.name: number for number, room in enumerate(rooms)}
    out = np.zeros(len(ENTITIES), ENTITY[game])
    for record, plan in zip(out, ENTITIES, strict=True):
        x, z, y = plan.place
        record["type"], record["room"] = model_id(game, plan.model), index[plan.room]
        record["x"], record["y"], record["z"] = _world(rooms[index[plan.room]], x, z, y)
        record["angle"] = np.uint16(plan.angle).astype(np.int16)
        record["intensity"] = -1
        if game in (Game.TR2, Game.TR3):
            record["intensity2"] = -1
        if game >= Game.TR4:
            record["ocb"] = plan.ocb
        record["flags"] = plan.flags
    return out


def build_ai_objects(game: Game, rooms: tuple[RoomPlan, ...]) -> NDArray[Any]:
    """Return TR4's and TR5's marks for the guard in the corridor."""
    rows = []
    for name, place, angle in (
        ("guard_mark", (4.5, 1.5, 0), -0x4000),
        ("patrol_mark", (5.5, 2.5, 0), 0x2000),
    ):
        rows.append((model_id(game, name), 1, *_world(rooms[1], *place), 1, 0, angle, 0))
    return np.array(rows, AI_OBJECT)


def build_cameras(rooms: tuple[RoomPlan, ...]) -> NDArray[Any]:
    """Return two fixed cameras and a sink, whose room is its strength and whose flags are its box."""
    return np.array(
        [
            (*_world(rooms[0], 1.5, 1.5, -9), 0, 0),
            (*_world(rooms[1], 4.5, 3.5, -4), 1, 1),
            (*_world(rooms[2], 3.0, 3.0, 8), 5, 2),
        ],
        CAMERA,
    )


def build_flyby_cameras(rooms: tuple[RoomPlan, ...]) -> NDArray[Any]:
    """Return a sequence of six cameras around the hall, and a second one with a gap in its numbers."""
    rows = []
    middle = _world(rooms[0], 5.5, 4.5, -3)
    for step in range(6):
        turn = step * np.pi / 5
        place = _world(rooms[0], 5.5 + 3.8 * np.sin(turn), 4.5 - 2.8 * np.cos(turn), -7 + step / 2)
        rows.append(
            (*place, middle, 0, step, 80 * _DEGREE, step * _DEGREE, 0, 655, 0x0008 if step == 0 else 0, 0, 0)
        )
    for number in (1, 3):
        place = _world(rooms[1], 1.5 + number, 1.5, -3)
        rows.append((*place, _world(rooms[1], 5.5, 1.5, -2), 1, number, 60 * _DEGREE, 0, 30, 1310, 0, 1, 0))
    return np.array(rows, FLYBY_CAMERA)


def build_cinematic_frames() -> NDArray[Any]:
    """Return two seconds of a camera that moves on a quarter circle around the origin of the cutscene."""
    out = np.zeros(60, CINEMATIC_FRAME)
    turn = np.linspace(0, np.pi / 2, len(out))
    out["target"] = (0, -600, 0)
    out["position"] = np.rint(np.stack([2048 * np.sin(turn), -900 - 300 * turn, 2048 * np.cos(turn)], 1))
    out["fov"], out["roll"] = 80 * _DEGREE, np.rint(np.sin(turn) * 5 * _DEGREE)
    return out


def build_demo(game: Game, rooms: tuple[RoomPlan, ...]) -> NDArray[np.uint8]:
    """Return a demo of one second: the start of the figure, then its input by frame."""
    head = [*_world(rooms[0], 4.5, 3.5, 0), 0, 0, 0, 0] + ([0] if game >= Game.TR2 else [])
    return np.frombuffer(np.array([*head, *[1] * 30, -1], "<i4").tobytes(), np.uint8)


# --- Sounds -----------------------------------------------------------------------------------------------


def wave(samples: NDArray[np.float64], rate: int, bits: int) -> bytes:
    """Return a RIFF file of one channel; ``samples`` run from -1 to 1."""
    data = ((samples * 100 + 128).astype("u1") if bits == 8 else (samples * 25000).astype("<i2")).tobytes()
    size = bits // 8
    form = pack("<HHIIHH", 1, 1, rate, rate * size, size, bits)
    body = b"WAVEfmt " + pack("<I", len(form)) + form + b"data" + pack("<I", len(data)) + data
    return b"RIFF" + pack("<I", len(body)) + body


# The numbers in MAIN.SFX of TR2's and TR3's samples, and how many sounds that file has.
MAIN_SFX_NUMBERS = (0, 2, 3, 5, 7)
_MAIN_SFX_SOUNDS = 9


def build_waves(game: Game) -> list[bytes]:
    """Return five sounds: a step, two drops of water, a bell, and a hum that nothing plays."""
    rate, bits = (11025, 8) if game <= Game.TR2 else (22050, 16)
    time = np.arange(rate // 10) / rate
    noise = np.random.default_rng(5).uniform(-1, 1, len(time))
    sounds = [noise * np.exp(-time * 60)]
    sounds += [np.sin(2 * np.pi * (pitch + 4000 * time) * time) * np.exp(-time * 40) for pitch in (500, 700)]
    sounds += [sum(np.sin(2 * np.pi * 440 * part * time) for part in (1, 2.7, 5.1)) / 3 * np.exp(-time * 20)]
    sounds += [np.sin(2 * np.pi * 60 * time) * 0.3]
    if game is Game.TR5:
        return [encode_adpcm_wave((each * 25000).astype(np.int16)[:, None], rate) for each in sounds]
    return [wave(sound, rate, bits) for sound in sounds]


def build_main_sfx(game: Game) -> bytes:
    """Return the MAIN.SFX of TR2 or TR3: the samples of the level, with clicks between them."""
    rate, bits = (11025, 8) if game <= Game.TR2 else (22050, 16)
    waves = dict(zip(MAIN_SFX_NUMBERS, build_waves(game), strict=True))
    clicks = (wave(np.linspace(-1, 1, 20 + number), rate, bits) for number in range(_MAIN_SFX_SOUNDS))
    pieces = [waves.get(number, click) for number, click in enumerate(clicks)]
    return b"".join(piece + bytes(len(piece) % 2) for piece in pieces)


def build_sound_map(game: Game, size: int = 0) -> NDArray[np.int16]:
    """Return the numbers of the sounds' details: 0 is the step, 1 and 5 are the drops, 8 is the bell."""
    sound_map = np.full(size or SOUND_MAP_SIZE[game], -1, "<i2")
    sound_map[[0, 1, 5, 8]] = (0, 1, 1, 2)
    return sound_map


def build_sound_details(game: Game) -> NDArray[Any]:
    """Return details: the step played once, the drops in a loop with varying pitch, the bell by chance."""
    loop = 2 if game is Game.TR1 else 3
    flags = (1 << 2 | 1, 2 << 2 | loop | 0x2000, 1 << 2)
    if game <= Game.TR2:
        rows: list[tuple[int, ...]] = [
            (0, 0x4000, 0, flags[0]),
            (1, 0x6000, 0, flags[1]),
            (3, 0x2000, 9000, flags[2]),
        ]
    else:
        rows = [(0, 128, 8, 0, 0, flags[0]), (1, 192, 10, 0, -8, flags[1]), (3, 64, 6, 70, 5, flags[2])]
    return np.array(rows, SOUND_DETAILS[game])


def build_sound_sources(rooms: tuple[RoomPlan, ...]) -> NDArray[Any]:
    """Return two sources of water drops: in the pool, and only in the flooded corridor."""
    return np.array(
        [(*_world(rooms[0], 8.0, 3.0, 0), 1, 0xC0), (*_world(rooms[1], 5.0, 2.0, -3), 1, 0x40)], SOUND_SOURCE
    )
