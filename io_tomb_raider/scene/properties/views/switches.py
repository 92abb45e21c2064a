"""Views of single bits, tints, and numbers with names."""

from collections.abc import Callable, Sequence
from typing import Any

from bpy.props import BoolProperty, BoolVectorProperty, EnumProperty, FloatVectorProperty
from bpy.types import Context, PropertyGroup

from ....formats.base.colors import FULL_RGB555, NEUTRAL_TINT, put_tint, split_tint

# Numbers of the items; those of blend modes are one higher than in the file.
_AUTOMATIC, _OTHER = 0, 9
_AUTOMATIC_ITEM = (
    "AUTOMATIC",
    "As It Looks",
    "Transparent pixels are cut out, and where Blender blends, the game adds",
    _AUTOMATIC,
)
_MODES = [
    ("OPAQUE", "Opaque", "No pixel is transparent", 1),
    ("ALPHA", "Alpha", "Transparent pixels are cut out", 2),
    ("ADDITIVE", "Additive", "Its colors are added to what is behind (TR3 to TR5)", 3),
]
_OTHER_ITEM = ("OTHER", "Other", "Another mode of the game, by its number", _OTHER)
_ITEMS_OWN = [_AUTOMATIC_ITEM, *_MODES, _OTHER_ITEM]
_ITEMS_PAGE = [*_MODES, _OTHER_ITEM]


def bit(
    field: str,
    mask: int,
    name: str,
    description: str,
    changed: Callable[[PropertyGroup], None] | None = None,
) -> object:
    """Declare a switch for one bit of an integer property; ``changed`` is called when it is switched."""

    def get(group: PropertyGroup) -> bool:
        return bool(getattr(group, field) & mask)

    def put(group: PropertyGroup, value: bool) -> None:
        before = get(group)
        setattr(group, field, getattr(group, field) & ~mask | (mask if value else 0))
        if changed is not None and value != before:
            changed(group)

    return BoolProperty(name=name, description=description, get=get, set=put)


def own_light(field: str, begins_with: int, name: str, description: str) -> object:
    """Declare a switch for an integer property that is light, or negative without its own light."""

    def get(group: PropertyGroup) -> bool:
        return getattr(group, field) >= 0

    def put(group: PropertyGroup, value: bool) -> None:
        if value != get(group):
            setattr(group, field, begins_with if value else -1)

    return BoolProperty(name=name, description=description, get=get, set=put)


def has_tint(field: str, name: str, description: str) -> object:
    """Declare a switch for an integer property that is a tint, or negative without one."""
    return own_light(field, put_tint(0, (NEUTRAL_TINT,) * 3), name, description)


def tint(field: str, name: str, description: str) -> object:
    """Declare a color for an integer property that is a tint; white without one."""

    def get(group: PropertyGroup) -> list[float]:
        word = getattr(group, field)
        return [part / FULL_RGB555 for part in split_tint(word)] if word >= 0 else [1.0, 1.0, 1.0]

    def put(group: PropertyGroup, values: Sequence[float]) -> None:
        red, green, blue = (round(value * FULL_RGB555) for value in values)
        setattr(group, field, put_tint(max(getattr(group, field), 0), (red, green, blue)))

    return FloatVectorProperty(
        name=name, description=description, subtype="COLOR_GAMMA", size=3, min=0, max=1, get=get, set=put
    )


def bits(field: str, masks: tuple[int, ...], name: str, description: str) -> object:
    """Declare a vector of switches for bits of an integer property."""

    def get(group: PropertyGroup) -> list[bool]:
        return [bool(getattr(group, field) & mask) for mask in masks]

    def put(group: PropertyGroup, values: Sequence[bool]) -> None:
        chosen = sum(mask for mask, value in zip(masks, values, strict=True) if value)
        setattr(group, field, getattr(group, field) & ~sum(masks) | chosen)

    return BoolVectorProperty(name=name, description=description, size=len(masks), get=get, set=put)


_OTHER_CHOICE = 1 << 16


def choice(field: str, items: Sequence[tuple[str, str, str, int]], name: str, description: str) -> object:
    """Declare an enumeration for an integer property; the items' numbers are its values.

    Other values of files show as *Other* and stay.
    """
    known = {number for *_, number in items}
    other = ("OTHER", "Other", "Another value of the game, by its number", _OTHER_CHOICE)

    def get(group: PropertyGroup) -> int:
        value = getattr(group, field)
        return value if value in known else _OTHER_CHOICE

    def put(group: PropertyGroup, value: int) -> None:
        if value != _OTHER_CHOICE:
            setattr(group, field, value)

    return EnumProperty(name=name, description=description, items=[*items, other], get=get, set=put)


def _modes(group: Any, _context: Context | None) -> list[tuple[str, str, str, int]]:
    return _ITEMS_OWN if group.kind == "NONE" else _ITEMS_PAGE


def _mode(group: Any) -> int:
    if group.kind == "NONE" and not group.is_property_set("attribute"):
        return _AUTOMATIC
    return group.attribute + 1 if group.attribute < len(_MODES) else _OTHER


def _set_mode(group: Any, value: int) -> None:
    if value == _AUTOMATIC:
        group.property_unset("attribute")
    elif value != _OTHER:
        group.attribute = value - 1


def blend_mode(name: str, description: str) -> object:
    """Declare an enumeration of blend modes for the integer property ``attribute`` of a material."""
    return EnumProperty(name=name, description=description, items=_modes, get=_mode, set=_set_mode)
