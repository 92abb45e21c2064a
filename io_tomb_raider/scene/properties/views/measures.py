"""Views of the games' numbers in users' units: meters, degrees, percent.

The view of a field has its name with ``_measure`` appended; panels show both next to each other. Lengths are
those of the scene, so they follow the scale of the level. An edit of a view sets its field, rounded if that
is an integer; reading a view changes nothing.
"""

from collections.abc import Callable, Sequence
from math import pi

from bpy.props import FloatProperty, FloatVectorProperty
from bpy.types import PropertyGroup

from ....formats.base import DARKEST
from ...core.membership import level_holding
from ...core.space import DEFAULT_SCALE

_TICKS = 30  # per second
_Get = Callable[[PropertyGroup], float]
_Put = Callable[[PropertyGroup, float], None]


def _scale(group: object) -> float:
    """Return the Blender units per unit of the file in a group's level."""
    level = level_holding(group)
    return DEFAULT_SCALE if level is None else float(level.tomb_raider.scale)


def _field(field: str, to_view: Callable[[PropertyGroup], float]) -> tuple[_Get, _Put]:
    """Return a getter and a setter of a number that is ``to_view`` times a field."""

    def get(group: PropertyGroup) -> float:
        return float(getattr(group, field) * to_view(group))

    def put(group: PropertyGroup, value: float) -> None:
        _set(group, field, value / to_view(group))

    return get, put


def _set(group: PropertyGroup, field: str, value: float) -> None:
    is_integer = isinstance(getattr(group, field), int)
    setattr(group, field, round(value) if is_integer else value)


def length(field: str, name: str, description: str, unit: int = 1) -> object:
    """Declare a length for a property in multiples of the file's units."""
    get, put = _field(field, lambda group: unit * _scale(group))
    return FloatProperty(
        name=name, description=description, subtype="DISTANCE", unit="LENGTH", get=get, set=put
    )


def speed(field: str, name: str, description: str) -> object:
    """Declare a speed for a property in units of the file per tick."""
    get, put = _field(field, lambda group: _TICKS * _scale(group))
    return FloatProperty(name=name, description=description, unit="VELOCITY", get=get, set=put)


def acceleration(field: str, name: str, description: str) -> object:
    """Declare an acceleration for a property in units of the file per tick²."""
    get, put = _field(field, lambda group: _TICKS**2 * _scale(group))
    return FloatProperty(name=name, description=description, unit="ACCELERATION", get=get, set=put)


def percent(field: str, full: Callable[[PropertyGroup], float], name: str, description: str) -> object:
    """Declare a percentage for a property that is ``full`` at 100 %."""
    get, put = _field(field, lambda group: 100 / full(group))
    return _percentage(name, description, get, put)


def brightness(field: str, name: str, description: str) -> object:
    """Declare a percentage for a property that runs from 0, bright, to :data:`DARKEST`."""

    def get(group: PropertyGroup) -> float:
        return 100 - 100 / DARKEST * float(getattr(group, field))

    def put(group: PropertyGroup, value: float) -> None:
        _set(group, field, DARKEST * (1 - value / 100))

    return _percentage(name, description, get, put)


def _percentage(name: str, description: str, get: _Get, put: _Put) -> object:
    return FloatProperty(
        name=name,
        description=description,
        subtype="PERCENTAGE",
        min=-1e6,
        max=1e6,
        soft_min=0,
        soft_max=100,
        get=get,
        set=put,
    )


def chance(field: str, full: Callable[[PropertyGroup], float], name: str, description: str) -> object:
    """Declare a percentage for a chance out of ``full``, where 0 means always."""

    def get(group: PropertyGroup) -> float:
        return 100 * (getattr(group, field) or full(group)) / full(group)

    def put(group: PropertyGroup, value: float) -> None:
        parts = max(round(value * full(group) / 100), 1)
        setattr(group, field, 0 if parts >= full(group) else parts)

    return _percentage(name, description, get, put)


def angle(field: str, name: str, description: str) -> object:
    """Declare an angle for a property in radians."""
    get, put = _field(field, lambda _group: 1.0)
    return FloatProperty(name=name, description=description, subtype="ANGLE", get=get, set=put)


def cone(
    field: str,
    from_file: Callable[[float], float],
    to_file: Callable[[float, float], float],
    name: str,
    description: str,
) -> object:
    """Declare the full angle of a cone for a property that ``from_file`` maps to its half.

    TR5 also stores the full angle, in the property ``{field}_angle``.
    """

    def get(group: PropertyGroup) -> float:
        return 2 * from_file(getattr(group, field))

    def put(group: PropertyGroup, value: float) -> None:
        setattr(group, field, to_file(value / 2, getattr(group, field)))
        setattr(group, f"{field}_angle", value)

    return FloatProperty(name=name, description=description, subtype="ANGLE", min=0, max=pi, get=get, set=put)


def duration(field: str, whole: float, name: str, description: str) -> object:
    """Declare a duration in seconds for a property that is a fraction of ``whole`` per tick."""

    def get(group: PropertyGroup) -> float:
        each = getattr(group, field)
        return whole / each / _TICKS if each else 0.0

    def put(group: PropertyGroup, value: float) -> None:
        _set(group, field, whole / value / _TICKS if value > 0 else 0)

    return FloatProperty(name=name, description=description, subtype="TIME_ABSOLUTE", min=0, get=get, set=put)


def offset(field: str, name: str, description: str) -> object:
    """Declare an offset, (3,), for one in the file's units along Blender's axes."""

    def get(group: PropertyGroup) -> list[float]:
        return [each * _scale(group) for each in getattr(group, field)]

    def put(group: PropertyGroup, values: Sequence[float]) -> None:
        setattr(group, field, [round(value / _scale(group)) for value in values])

    return FloatVectorProperty(
        name=name, description=description, subtype="XYZ_LENGTH", unit="LENGTH", size=3, get=get, set=put
    )


def place(field: str, name: str, description: str) -> object:
    """Declare a point in Blender's axes for one, (3,), in the file's."""

    def get(group: PropertyGroup) -> list[float]:
        x, y, z = getattr(group, field)
        scale = _scale(group)
        return [x * scale, z * scale, -y * scale]

    def put(group: PropertyGroup, values: Sequence[float]) -> None:
        x, y, z = (value / _scale(group) for value in values)
        setattr(group, field, [round(x), round(-z), round(y)])

    return FloatVectorProperty(
        name=name, description=description, subtype="XYZ_LENGTH", unit="LENGTH", size=3, get=get, set=put
    )


def box(field: str, name: str, description: str) -> object:
    """Declare a box in Blender's axes for one in the file's: minimum and maximum of x, y and z."""

    def get(group: PropertyGroup) -> list[float]:
        x, x_end, y, y_end, z, z_end = (each * _scale(group) for each in getattr(group, field))
        return [x, x_end, z, z_end, -y_end, -y]

    def put(group: PropertyGroup, values: Sequence[float]) -> None:
        x, x_end, y, y_end, z, z_end = (round(each / _scale(group)) for each in values)
        setattr(group, field, [x, x_end, -z_end, -z, y, y_end])

    return FloatVectorProperty(name=name, description=description, unit="LENGTH", size=6, get=get, set=put)
