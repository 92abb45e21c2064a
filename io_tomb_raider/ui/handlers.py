"""What happens when files are opened and saved: scenes of older versions of the extension are upgraded."""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ..scene.upgrades.versions import upgrade_all


@persistent  # type: ignore[untyped-decorator]
def _upgrade(*_args: object) -> None:
    upgrade_all()


_LISTS = ("load_post", "save_pre", "blend_import_post")  # the last one exists from 5.0 on


def register() -> None:
    for name in _LISTS:
        if hasattr(bpy.app.handlers, name):
            getattr(bpy.app.handlers, name).append(_upgrade)


def unregister() -> None:
    for name in _LISTS:
        if hasattr(bpy.app.handlers, name):
            getattr(bpy.app.handlers, name).remove(_upgrade)
