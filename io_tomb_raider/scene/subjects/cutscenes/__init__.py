"""Cutscenes of cutscene levels, and of CUTSEQ files."""

from typing import TYPE_CHECKING

from ....formats.base import lazy_exports

if TYPE_CHECKING:
    from .acting import add_animation, extend, extend_for
    from .build import import_cutscene
    from .keying import has_all_keys, key_all_bones
    from .new import add_actors, add_camera, model_of, new_cutscene
    from .read import export_cutscene
    from .sound import find_audio, set_sound
else:
    __getattr__ = lazy_exports(__name__)
