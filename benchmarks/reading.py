"""Times to read, decode and write levels, without Blender."""

from __future__ import annotations

import zlib
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from io_tomb_raider.formats import Level, read_level
from io_tomb_raider.formats.levels.animations.frames import LevelKeys, decode_frames
from io_tomb_raider.formats.levels.animations.rotations import quaternions_from_angles

from .timing import RUNS, Times, stopwatch


def measure_reading(path: Path, runs: int = RUNS) -> dict[str, float]:
    """Measure one level.

    Returns:
        Medians in seconds: ``read``, the whole of ``read_level`` from the file; ``zlib``, the time of zlib
            alone to inflate the chunks of that file, if it has some; ``frames``, all key frames of all models
            to quaternions.
    """
    times = Times()
    for _ in range(max(runs, 2 * RUNS)):  # these are short: more runs cost little
        level = times.take("read", lambda: read_level(path))
        streams = [bytes(stream) for _, stream in level.streams.values()]
        if streams:
            times.take("zlib", partial(_inflate, streams))
        if hasattr(level, "models"):
            times.take("frames", partial(_rotations, level))
    return times.medians()


def _inflate(streams: list[bytes]) -> list[bytes]:
    return [zlib.decompress(stream) for stream in streams]


def _rotations(level: Level) -> tuple[LevelKeys, Any]:
    keys = decode_frames(level.game, level.frames, level.animations, level.models)
    return keys, quaternions_from_angles(keys.angles)


def time_to_bytes(level: Level) -> tuple[float, float]:
    """Measure once the time to write a level as bytes.

    Returns:
        Seconds for everything except compression, and for compression.
    """
    compression = 0.0
    compress = zlib.compress

    def timed(data: Any, *args: Any) -> bytes:
        nonlocal compression
        start = perf_counter()
        packed = compress(data, *args)
        compression += perf_counter() - start
        return packed

    # Compression is in the middle of it, so the library's own call is timed.
    zlib.compress = timed  # type: ignore[assignment]
    try:
        seconds, _ = stopwatch(level.to_bytes)
    finally:
        zlib.compress = compress
    return seconds - compression, compression
