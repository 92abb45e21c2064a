"""The materials of objects' slots, linked to the mesh or to the object."""

from __future__ import annotations

from collections.abc import Sequence

from bpy.types import Material, Object

from ....formats.base import T
from ..reporting.report import Report


def shown_materials(obj: Object) -> list[Material | None]:
    """Return the material of each slot of an object."""
    return [slot.material for slot in obj.material_slots]


def shared_materials(objects: Sequence[Object], report: Report) -> list[Material | None]:
    """Return the materials of the first of the objects that share a mesh; warn of objects with others.

    A mesh of the file has one set of materials. Objects in Blender can override them.
    """
    first, *others = objects
    shown = shown_materials(first)
    for other in others:
        if shown_materials(other) != shown:
            text = T(
                "its slots have other materials than those of {first}, which shares its mesh and is "
                "exported: make the mesh single-user (Object > Relations > Make Single User) to have "
                "both",
                first=first.name,
            )
            report.warn(other.name, text)
    return shown


def has_own_materials(obj: Object) -> bool:
    """Return whether an object shows other materials than its mesh has."""
    own = getattr(obj.data, "materials", ())
    return any(
        slot.link == "OBJECT" and slot.material != material
        for slot, material in zip(obj.material_slots, own, strict=False)
    )
