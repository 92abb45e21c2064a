"""Kinds of sounds that belong to a file next to the levels."""

FILE_KINDS = ("MAIN_SFX", "CD_AUDIO", "TRACK_FILE")
