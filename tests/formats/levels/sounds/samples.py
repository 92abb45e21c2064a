"""Generated sound files."""

from __future__ import annotations

from struct import pack

import numpy as np

from io_tomb_raider.formats.levels.sounds.waves import encode_adpcm_wave


def plain_wave(count: int, seed: int = 0, bits: int = 8, rate: int = 11025) -> bytes:
    """Return a wave of one channel with a header of 44 bytes, written field by field."""
    content = np.random.default_rng(seed).integers(0, 256, count * bits // 8, np.uint8).tobytes()
    form = pack("<HHIIHH", 1, 1, rate, rate * bits // 8, bits // 8, bits)
    body = b"WAVEfmt " + pack("<I", 16) + form + b"data" + pack("<I", len(content)) + content
    return b"RIFF" + pack("<I", len(body)) + body


def noise(count: int, channels: int = 1, seed: int = 0) -> np.ndarray:
    """Some sound, (count, channels) int16."""
    random = np.random.default_rng(seed)
    time = np.arange(count)[:, None]
    noise = random.normal(0, 300, (count, channels))
    waves = 9000 * np.sin(time * random.uniform(0.01, 0.1, channels)) + noise
    return waves.astype(np.int16)


SOUNDS = [plain_wave(count, seed=count) for count in (100, 7, 32, 1)]
TRACKS = {2: encode_adpcm_wave(noise(3000, 2), 44100), 5: encode_adpcm_wave(noise(700, 2, seed=1), 44100)}


def main_sfx(*, padded: bool = True) -> bytes:
    """Return concatenated waves, as in TR2."""
    return b"".join(sound + bytes(len(sound) % 2 if padded else 0) for sound in SOUNDS)


def cd_audio(tracks: dict[int, bytes] = TRACKS, gap: bytes = b"") -> bytes:
    """Return a file of tracks, with stale bytes after their names."""
    place = 268 * 130
    directory, body = b"", b""
    for number in range(130):
        name = b"track %d\0stale" % number if number in tracks else b"\0old"
        track = tracks.get(number, b"")
        offset = place + len(body) if track else number
        directory += name.ljust(260, b"\xcc") + pack("<II", len(track), offset)
        body += track + (gap if track else b"")
    return directory + body
