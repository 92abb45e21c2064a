"""Views of single bits, tints, and numbers with names."""

from collections.abc import Callable, Sequence
from typing import Any

from bpy.props import BoolProperty, BoolVectorProperty, EnumProperty, FloatVectorProperty
from bpy.types import Context, PropertyGroup

from ....formats.base import FULL_RGB555, NEUTRAL_TINT, put_tint, split_tint

# Numbers of the items; those of blend modes are one higher than in the file.
_AUTOMATIC, _OTHER = 0, 9
_AUTOMATIC_ITEM = (
    "AUTOMATIC",
    "Automatic",
    "Transparent pixels are cut out; where Blender blends, the game adds",
    _AUTOMATIC,
)
_MODES = [
    ("OPAQUE", "Opaque", "No pixel is transparent", 1),
    ("ALPHA", "Alpha", "Transparent pixels are cut out", 2),
    ("ADDITIVE", "Additive", "Colors are added to the background (TR3 to TR5)", 3),
    # Modes that engines use for sprites and particles (documentation, chapter 9.3.2).
    ("INVERTED", "Inverted", "Bright pixels darken the background, on consoles only: shadows, smoke", 4),
    ("NO_DEPTH_TEST", "No Depth Test", "As Alpha, in front of everything: fonts and skies", 5),
    ("SUBTRACTIVE", "Subtractive", "Colors are subtracted from the background: dark smoke (TR4, TR5)", 6),
    ("WIREFRAME", "Wireframe", "Lines only: sparks, water drops, laser beams", 7),
    ("FADING", "Fading", "As Alpha, faded by the game: bodies that vanish (TR4, TR5)", 8),
]
_OTHER_ITEM = ("OTHER", "Other", "Another mode of the game, by number", _OTHER)
_ITEMS_OWN = [_AUTOMATIC_ITEM, *_MODES, _OTHER_ITEM]
_ITEMS_PAGE = [*_MODES, _OTHER_ITEM]


def bit(
    field: str, mask: int, name: str, description: str, changed: Callable[[PropertyGroup], None] | None = None
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
        word = sum(mask for mask, value in zip(masks, values, strict=True) if value)
        setattr(group, field, getattr(group, field) & ~sum(masks) | word)

    return BoolVectorProperty(name=name, description=description, size=len(masks), get=get, set=put)


_OTHER_CHOICE = 1 << 16


OTHER_VALUE = ("OTHER", "Other", "Another value of the game, by number", _OTHER_CHOICE)
Items = list[tuple[str, str, str, int]]


def choice(
    field: str,
    items: Items | Callable[[PropertyGroup], Items],
    name: str,
    description: str,
    change: Callable[[PropertyGroup, int], None] | None = None,
) -> object:
    """Declare an enumeration for an integer property; the items' numbers are its values.

    Other values of files show as *Other* and stay.

    Args:
        items: the items, or a function that returns those of a group: always the same lists.
        change: sets the property to another value, and the properties whose meaning depends on it.
    """

    def known(group: PropertyGroup, _context: Context | None = None) -> Items:
        return items(group) if callable(items) else items

    def get(group: PropertyGroup) -> int:
        value = int(getattr(group, field))
        return value if any(value == number for *_, number in known(group)) else _OTHER_CHOICE

    def put(group: PropertyGroup, value: int) -> None:
        if value in (_OTHER_CHOICE, getattr(group, field)):
            return
        if change is None:
            setattr(group, field, value)
        else:
            change(group, value)

    offered: Any = known if callable(items) else items
    return EnumProperty(name=name, description=description, items=offered, get=get, set=put)


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
