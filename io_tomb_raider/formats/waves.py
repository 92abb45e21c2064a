"""Public API for RIFF/WAVE files, the form of all samples, see :mod:`.sounds.waves`."""

from .sounds.waves import (
    Wave,
    decode_wave,
    decode_waves,
    encode_adpcm_wave,
    encode_wave,
    find_waves,
    read_wave,
)

__all__ = [
    "Wave",
    "decode_wave",
    "decode_waves",
    "encode_adpcm_wave",
    "encode_wave",
    "find_waves",
    "read_wave",
]
