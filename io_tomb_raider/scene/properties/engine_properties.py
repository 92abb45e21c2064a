"""Properties of objects for TRX, and for the scripts of TombEngine."""

from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    IntVectorProperty,
    StringProperty,
)
from bpy.types import Context, PropertyGroup

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

# The field of the value by type.
VALUES = {
    "INTEGER": "integer",
    "FLOAT": "number",
    "DOUBLE": "number",
    "BOOLEAN": "is_on",
    "VECTOR": "vector",
    "COLOR": "color",
    "LUA": "text",
}


def _type_changed(item: "TombRaiderEngineProperty", _context: Context) -> None:
    item.exact = ""  # of the value of another type


class TombRaiderEngineProperty(PropertyGroup):
    """A property of an object: its name, its type, and one value of that type."""

    name: StringProperty(name="Name", description="Name by which TRX or a script finds the property")
    type: EnumProperty(name="Type", items=_TYPES, update=_type_changed, description="Type of the value")
    integer: IntProperty(
        name="Integer", min=-(1 << 31), max=(1 << 31) - 1, description="Value of the type Integer"
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
