"""Exchange with other programs, and files next to levels: glTF, WAD, scripts, images, assets."""

from typing import TYPE_CHECKING

from ...formats.base import lazy_exports

if TYPE_CHECKING:
    from .addons import export_addon, export_outfit
    from .asset_library import GameLibrary
    from .injections import (
        apply_edits,
        block_to_edit,
        delete_edits,
        export_injection,
        import_injection,
        refresh_edits,
    )
    from .patches import export_patch, import_patch_steps, is_edited, level_for
else:
    __getattr__ = lazy_exports(__name__)
