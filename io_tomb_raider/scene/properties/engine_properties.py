"""Properties of objects for TRX, and for the scripts of TombEngine."""

from typing import Any

from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    IntVectorProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Context, Object, PropertyGroup

from .base.pointers import is_room, pointer_set

# The numbers of the first ones are those of the file.
_TYPES = [
    ("INTEGER", "Integer", "A whole number", 0),
    ("FLOAT", "Float", "A number with about 7 digits", 1),
    ("DOUBLE", "Double", "A number with about 16 digits. Blender shows 7 of them", 2),
    ("BOOLEAN", "Boolean", "On or off", 3),
    ("VECTOR", "Vector", "Three whole numbers", 4),
    ("COLOR", "Color", "A color", 5),
    ("LUA", "Lua", "A value in Lua, for TombEngine", 6),
]

VALUES = {  # of the value, by type
    "INTEGER": "integer",
    "FLOAT": "number",
    "DOUBLE": "number",
    "BOOLEAN": "is_on",
    "VECTOR": "vector",
    "COLOR": "color",
    "LUA": "text",
}


def value_field(item: Any) -> str:
    """Return the field that holds the value of a property."""
    from ..subjects.injections.properties import is_room_property

    is_shown = is_room_property(item) and (item.room is not None or item.integer == -1)
    return "room" if is_shown else VALUES[item.type]


def _get_name(group: PropertyGroup) -> str:
    return str(group.name)


def _put_name(group: Any, text: str) -> None:
    """Set the name, and the type and value that the catalogs have for it."""
    from ..subjects.injections.properties import is_room_property, possible_properties, set_default

    known = possible_properties(group.id_data).get(text.strip())
    is_new, group.name = text.strip() != group.name, text.strip()
    if known is not None and is_new:
        set_default(group, known)
    elif is_new and is_room_property(group):
        group.integer = -1  # the field for the room shows


def _names(group: Any, _context: Context, text: str) -> list[str]:
    from ..subjects.injections.properties import possible_properties

    return [each for each in possible_properties(group.id_data) if text.casefold() in each]


def _type_changed(item: "TombRaiderEngineProperty", _context: Context) -> None:
    item.exact = ""  # of the value of another type


class TombRaiderEngineProperty(PropertyGroup):
    """A property of an object: its name, its type, and one value of that type."""

    name: StringProperty(name="Name", description="Name by which TRX or a script finds the property")
    known_name: StringProperty(
        name="Name",
        get=_get_name,
        set=_put_name,
        search=_names,
        search_options={"SUGGESTION"},
        description="Name by which TRX or a script finds the property. Those of Property Catalogs are listed",
    )
    type: EnumProperty(name="Type", items=_TYPES, update=_type_changed, description="Type of the value")
    integer: IntProperty(
        name="Integer", min=-(1 << 31), max=(1 << 31) - 1, description="Value of the type Integer"
    )
    room: PointerProperty(
        name="Room",
        type=Object,
        poll=is_room,
        update=pointer_set,
        description="Room whose number is the value of anchor_room. None for the value as an integer",
    )
    number: FloatProperty(name="Number", description="Value of the types Float and Double")
    is_on: BoolProperty(name="On", description="Value of the type Boolean")
    vector: IntVectorProperty(name="Vector", size=3, description="Value of the type Vector")
    color: FloatVectorProperty(
        name="Color", size=3, min=0, max=1, subtype="COLOR_GAMMA", description="Value of the type Color"
    )
    text: StringProperty(name="Text", description="Value of the type Lua")
    exact: StringProperty(
        name="Exact Value", description="Imported value, which counts while the property shows it"
    )


GROUPS = (TombRaiderEngineProperty,)
