"""Public API for MAIN.SFX and CDAUDIO.WAD (documentation, chapter 8), see :mod:`.sounds.files`."""

from .sounds.files import (
    CdAudio,
    MainSfx,
    read_cd_audio,
    read_cd_audio_directory,
    read_cd_audio_names,
    read_main_sfx,
    write_cd_audio_names,
)

__all__ = [
    "CdAudio",
    "MainSfx",
    "read_cd_audio",
    "read_cd_audio_directory",
    "read_cd_audio_names",
    "read_main_sfx",
    "write_cd_audio_names",
]
