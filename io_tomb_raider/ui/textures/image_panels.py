"""Image editor panel about a level's pages and palettes."""

from __future__ import annotations

from bpy.types import Context, Image, Panel

from ...formats.base import N_, T, as_message
from ..base.levels import all_levels
from ..base.text.i18n import translate

_PALETTE_NOTES = (
    N_("16 by 16 colors: faces of one color use them"),
    N_("16 by 16 colors: software rendering shows pages in them"),
)


def shown_image(context: Context) -> Image | None:
    """Return the image that an image editor shows."""
    return getattr(context, "edit_image", None) or getattr(context.space_data, "image", None)


class IMAGE_PT_tomb_raider(Panel):
    bl_label = "Tomb Raider Image"
    bl_space_type = "IMAGE_EDITOR"
    bl_region_type = "UI"
    bl_category = "Tomb Raider"

    @classmethod
    def poll(cls, context: Context) -> bool:
        image = shown_image(context)
        return image is not None and image.tomb_raider.kind != "NONE"

    def draw(self, context: Context) -> None:
        image = shown_image(context)
        settings = image.tomb_raider
        kind = settings.bl_rna.properties["kind"].enum_items[settings.kind]
        column = self.layout.column()
        text = kind.name
        if settings.page >= 0 and settings.kind != "PALETTE":
            text = T("{kind} {page}", kind=as_message(kind.name), page=settings.page)
        column.label(text=translate(text))
        if settings.kind == "PAGE" and settings.use != "ANY":
            use = settings.bl_rna.properties["use"].enum_items[settings.use]
            name, description = as_message(use.name), as_message(use.description)
            column.label(text=translate(T("{use}: {description}", use=name, description=description)))
        if settings.kind == "PALETTE":
            column.label(text=_PALETTE_NOTES[min(settings.page, 1)])
        for level in all_levels():
            if any(entry.image == image for entry in level.tomb_raider.images):
                column.label(text=translate(T("Of {level}", level=level.name)), icon="OUTLINER_COLLECTION")


CLASSES = (IMAGE_PT_tomb_raider,)
