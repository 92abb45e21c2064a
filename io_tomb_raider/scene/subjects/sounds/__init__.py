"""Sounds: details, samples, sources, and sound files such as MAIN.SFX."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .file_kinds import FILE_KINDS
    from .files import (
        add_to_file,
        export_sound_file,
        import_sound_file,
        kind_of_file,
        known_files,
        list_entries,
        note_as_written,
    )
    from .for_trx import stores_for_trx
    from .main_sfx import MainSfxExport
    from .of_models import note_all
    from .samples import find_main_sfx, replace_sound, show_samples
    from .sources import show_source
    from .waves import make_sound
else:
    __getattr__ = lazy_exports(__name__)
