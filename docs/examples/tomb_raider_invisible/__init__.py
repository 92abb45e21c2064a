"""Shows and edits the flag "invisible" of entities as a custom property."""

INVISIBLE = 0x100  # bit of an entity's flags


class TombRaiderHooks:
    """Found by Tomb Raider Levels, which makes an instance for each import and each export."""

    def import_object(self, context, obj, record):
        """Copy the bit of the file to the object."""
        if obj.tomb_raider.kind == "ENTITY":
            obj["invisible"] = bool(record["flags"] & INVISIBLE)

    def export_object(self, context, obj, record):
        """Copy the custom property of the object to the file."""
        if obj.tomb_raider.kind == "ENTITY" and record is not None and "invisible" in obj:
            flags = int(record["flags"]) & ~INVISIBLE
            record["flags"] = flags | INVISIBLE if obj["invisible"] else flags

    def after_export(self, context):
        """Warn if the player would not see Lara."""
        for entity in context.level.entities:
            if entity["type"] == 0 and entity["flags"] & INVISIBLE:
                context.report.warn("Lara", "she is invisible. Clear her custom property")


def register():
    """Required by Blender."""


def unregister():
    """Required by Blender."""
