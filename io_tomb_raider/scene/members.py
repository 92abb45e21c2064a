"""Which objects a collection holds, with all collections within.

``Collection.all_objects`` is not asked for that: Blender keeps its answer, and undo and redo do not always
let it go. A deleted object that undo has brought back would be missing from an export.
"""

from __future__ import annotations

from bpy.types import Collection, Object


def members(collection: Collection) -> list[Object]:
    """Return the objects of a collection and of all collections within, each once."""
    homes = (collection, *collection.children_recursive)
    return list(dict.fromkeys(thing for home in homes for thing in home.objects))
