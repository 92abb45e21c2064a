"""Waveform pictures of sounds."""

from __future__ import annotations

import numpy as np
from bpy.types import Sound
from numpy.typing import NDArray

from ....formats import FormatError
from ....formats.levels.sounds import decode_wave, read_wave
from .waves import bytes_of, decode_in_blender

_COLOR = (0.35, 0.7, 0.95, 1.0)


def waveform(sound: Sound, size: int) -> NDArray[np.float32] | None:
    """Return a picture of a sound, (size, size, 4) float32, bottom row first; None if it is unreadable."""
    amplitudes = _loudness(sound)
    return drawn_loudness(amplitudes, size) if len(amplitudes) else None


def drawn_loudness(amplitudes: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    """Return a picture of amplitudes (frames,), at least one: (size, size, 4) float32, bottom row first."""
    edges = np.linspace(0, len(amplitudes), size + 1).astype(np.int64)
    spans = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    peaks = np.array([amplitudes[low : max(high, low + 1)].max(initial=0) for low, high in spans])
    heights = np.maximum(peaks / max(float(peaks.max()), 1e-6) * size * 0.45, 1.0)
    rows = np.abs(np.arange(size) + 0.5 - size / 2)
    pixels = np.zeros((size, size, 4), np.float32)
    pixels[rows[:, None] <= heights[None, :]] = _COLOR
    return pixels


def _loudness(sound: Sound) -> NDArray[np.float32]:
    """Return the amplitudes of a sound, (frames,); empty where it cannot be read."""
    try:
        data = bytes_of(sound)
    except (FormatError, OSError):
        return np.zeros(0, np.float32)
    try:
        samples: NDArray[np.float32] = decode_wave(read_wave(data)).astype(np.float32)
    except FormatError:  # another format that Blender reads
        decoded = decode_in_blender(data)
        samples = np.zeros(0, np.float32) if decoded is None else decoded[0]
    return np.abs(samples.reshape(len(samples), -1)).max(axis=1) if samples.size else np.zeros(0, np.float32)
