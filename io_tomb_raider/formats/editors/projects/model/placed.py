"""Objects of rooms, in chunks.

Each kind of object has a form for TombEngine and one for the other targets, and old forms, which are read
only. A form is plain fields, then for some kinds a list of chunks.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from ....base.bytes.chunks import Chunk, inside, leb, leb_bytes
from ....base.bytes.cursor import Cursor
from ....base.errors import ExportError, FormatError
from ....base.messages import T
from ....base.schema.chunks import NUMBER, TRUTH, ContentKind, Part, Plain, Record
from ....base.schema.codes import (
    BOOL,
    DOT_NET_STRING,
    F32,
    I16,
    I32,
    LEB,
    STRING,
    U8,
    U16,
    U32,
    VECTOR,
    Code,
    Fixed,
    Several,
)
from ....base.schema.forms import Form, FormList
from ....base.units import CLICK
from .objects import (
    NO_OBJECT,
    WHITE,
    Camera,
    Flyby,
    GhostBlock,
    ImportedGeometry,
    Light,
    LightKind,
    Memo,
    Moveable,
    Parameter,
    ParameterKind,
    PlacedObject,
    ProjectPortal,
    ProjectTrigger,
    Properties,
    Sink,
    SoundSource,
    Sprite,
    Static,
    UnknownObject,
    Volume,
)
from .records import ProjectContext

_AREA = Several(LEB, 4)
_GHOST_ORDER = (3, 0, 2, 1)  # the corners in the file, XnZn, XnZp, XpZn, XpZp, among those of heights
_LOCKED, _NOT_LOCKED = 1, 0
_BOX, _SPHERE = 0, 1


# --- Fields of some kinds ----------------------------------------------------------------------


class _Locked(Code):
    """The mode of a camera that is only locked or not."""

    def read(self, cursor: Cursor) -> int:
        return _LOCKED if BOOL.read(cursor) else _NOT_LOCKED

    def write(self, value: int) -> bytes:
        return BOOL.write(value == _LOCKED)


class _VolumeShape(Code):
    """The attributes `shape size y x roll scale` of a volume: a box, or the scale of a sphere."""

    def __init__(self, *, rolls: bool = True) -> None:
        self._rolls = rolls

    def read(self, cursor: Cursor) -> tuple[Any, ...]:
        shape = U8.read(cursor)
        size, angles, scale = Volume.size, (0.0, 0.0, 0.0), 1.0
        if shape == _BOX:
            size = VECTOR.read(cursor)
            angles = (F32.read(cursor), F32.read(cursor), F32.read(cursor) if self._rolls else 0.0)
        elif shape == _SPHERE:
            scale = F32.read(cursor)
        else:
            raise cursor.error("the shape of a volume", str(shape), offset=cursor.offset - 1)
        return (shape, size, *angles, scale)

    def write(self, value: tuple[Any, ...]) -> bytes:
        shape, size, *angles, scale = value
        if shape == _SPHERE:
            return U8.write(_SPHERE) + F32.write(scale)
        return b"".join((U8.write(_BOX), VECTOR.write(size), *map(F32.write, angles)))


class _OptionalString(Code):
    """A text before a last number, if there is room for it."""

    def read(self, cursor: Cursor) -> str:
        return str(STRING.read(cursor)) if cursor.remaining > _I32_SIZE else ""

    def write(self, value: str) -> bytes:
        return STRING.write(value)


class _Pairs(Code):
    """Pairs of texts after their number."""

    def read(self, cursor: Cursor) -> Properties:
        count = I32.read(cursor)
        if not 0 <= count <= cursor.remaining:
            raise cursor.error("the number of properties", str(count))
        return tuple((STRING.read(cursor), STRING.read(cursor)) for _ in range(count))

    def write(self, value: Properties) -> bytes:
        return b"".join([I32.write(len(value)), *(STRING.write(text) for pair in value for text in pair)])


class _Parameter(ContentKind):
    """A parameter of a trigger: its kind, and its value in a form for this kind."""

    def read(self, chunk: Chunk, context: ProjectContext) -> Parameter:
        cursor = inside(chunk)
        kind = leb(cursor)
        if kind == ParameterKind.NONE:
            return Parameter()
        if kind == ParameterKind.STRING:
            return Parameter(kind, STRING.read(cursor))
        if kind in (ParameterKind.NUMBER, ParameterKind.OBJECT, ParameterKind.ROOM):
            return Parameter(kind, leb(cursor))
        raise cursor.error("the kind of a parameter", str(kind), offset=0)

    def write(self, value: Parameter, name: str, context: ProjectContext) -> bytes:
        kind, content = value
        if kind == ParameterKind.NONE:
            return leb_bytes(kind)
        if kind == ParameterKind.STRING:
            return leb_bytes(kind) + STRING.write(str(content))
        return leb_bytes(kind) + leb_bytes(int(content))


class _Mirrored(Plain):
    """The kinds of objects that a mirror shows; by default all."""

    def __init__(self) -> None:
        super().__init__(Several(BOOL, 5))

    def write(self, value: tuple[bool, ...] | None, name: str, context: ProjectContext) -> bytes:
        return super().write(value or (True,) * 5, name, context)


_I32_SIZE = 4
_PARAMETER = _Parameter()


# --- Old forms ---------------------------------------------------------------------------------


def _old_fog(values: dict[str, Any]) -> None:
    """The intensity of fog bulbs was their red."""
    if values["kind"] == LightKind.FOG_BULB:
        values["intensity"] = values["color"][0]
        values["color"] = WHITE


def _oldest_light(values: dict[str, Any]) -> None:
    _old_fog(values)
    values["imported_geometry"] = values["static"]


def _oldest_trigger(values: dict[str, Any]) -> None:
    obj, number = values.pop("object"), values["target"]
    values["target"] = (
        Parameter(ParameterKind.NUMBER, number) if obj == NO_OBJECT else Parameter(ParameterKind.OBJECT, obj)
    )
    values["timer"] = Parameter(ParameterKind.NUMBER, values["timer"])


# --- Forms -------------------------------------------------------------------------------------


_START = ("number", LEB), ("position", VECTOR)
_Y, _X, _ROLL, _SCALE = ("y", F32), ("x", F32), ("roll", F32), ("scale", F32)
_ANGLES = _Y, _X, _ROLL
_ID, _NO_ID = ("script_id", LEB), ("", Fixed(LEB, NO_OBJECT))
_LUA, _COLOR, _OCB = ("lua_name", STRING), ("color", VECTOR), ("ocb", I16)
_NONE_F32 = ("", Fixed(F32, 0.0))
_MARKS = ("invisible", BOOL), ("clear_body", BOOL), ("code_bits", U8)
_SOUND = ("sound", I32), ("play_mode", I32)
_LIGHT = (
    *(("number", LEB), ("kind", LEB), ("position", VECTOR), _Y, _X, ("intensity", F32), _COLOR),
    *(("inner_range", F32), ("outer_range", F32), ("inner_angle", F32), ("outer_angle", F32)),
    *(("enabled", BOOL), ("obstructed", BOOL), ("dynamic", BOOL), ("static", BOOL)),
)
_IMPORTED, _QUALITY, _SHADOWS = ("imported_geometry", BOOL), ("quality", U8), ("casts_shadows", BOOL)
_PORTAL = ("number", LEB), ("area", _AREA), ("room", LEB), ("direction", U8), ("opacity", U8)
_MODEL = *_START, *_ANGLES, _SCALE
_SHAPE, _OLD_SHAPE = (("shape size y x roll scale", _VolumeShape(rolls=rolls)) for rolls in (True, False))

_OLD_LIST = Record(PlacedObject, ())  # ids for scripts that were never used
_MIRRORED = Record(ProjectPortal, (Part("TePorMirror", "mirrored", _Mirrored()),))
_LIGHTING = Record(
    ImportedGeometry,
    (
        Part("TeImpLM", "lighting", NUMBER),
        Part("TeShEdg", "sharp_edges", TRUTH),
        Part("TeImpHidden", "hidden", TRUTH),
        Part("TeImpAlphaTest", "alpha_test", TRUTH),
    ),
)
_TRIGGER = Record(
    ProjectTrigger,
    (
        Part("TeTy", "type", NUMBER),
        Part("TeTaTy", "target_type", NUMBER),
        Part("TeTa", "target", _PARAMETER),
        Part("TeTi", "timer", _PARAMETER),
        Part("TeEx", "extra", _PARAMETER),
        Part("TeCo", "code_bits", NUMBER),
        Part("TeOS", "one_shot", TRUTH),
        Part("TePl", "plugin", _PARAMETER),
    ),
)

# Today's forms for TombEngine, for other targets, and for both; then the old ones.
_TEN_MOVEABLE = (*_START, *_ANGLES, _NO_ID, ("slot", U32), _OCB, *_MARKS, _COLOR, _LUA)
_TEN_STATIC = (*_START, _Y, _NONE_F32, _NONE_F32, _SCALE, _NO_ID, ("slot", U32), _COLOR, _OCB, _LUA)
_PROPERTIES = ("properties", _Pairs())
TOMB_ENGINE_FORMS = (
    Form("TeMovTen2", Moveable, _TEN_MOVEABLE),
    Form("TeStaTen2", Static, _TEN_STATIC),
    Form("TeCamTen", Camera, (*_START, _NO_ID, ("mode", _Locked()), ("move_timer", U8), _LUA)),
    Form("TeSinTen", Sink, (*_START, _NO_ID, ("strength", I16), _LUA)),
    Form("TeSoundTen", SoundSource, (*_START, *_SOUND, _LUA)),
)
OTHER_FORMS = (
    Form("TeMov4", Moveable, (*_START, _Y, _ID, ("slot", U32), _OCB, *_MARKS, _COLOR)),
    Form("TeSta3", Static, (*_START, _Y, _ID, ("slot", U32), _COLOR, _OCB)),
    Form("TeCam3", Camera, (*_START, _ID, ("mode", U8), ("move_timer", U8), ("glide_out", BOOL))),
    Form("TeSin", Sink, (*_START, _ID, ("strength", I16))),
    Form("TeSoundRealFinal", SoundSource, (*_START, *_SOUND, _ID)),
)
COMMON_FORMS = (
    Form("TeSpr3", Sprite, (*_START, ("slot", I32), ("frame", I32), _COLOR)),
    Form(
        "TeFly",
        Flyby,
        (
            *(*_START, *_ANGLES, _ID, ("speed", F32), ("field_of_view", F32), ("flags", LEB)),
            *(("index", LEB), ("sequence", LEB), ("timer", LEB)),
        ),
    ),
    Form("TeMemo2", Memo, (*_START, ("text", STRING), ("always_shown", BOOL))),
    Form("TeLig5", Light, (*_LIGHT, _IMPORTED, _QUALITY, _SHADOWS)),
    Form("TePor2", ProjectPortal, (*_PORTAL, ("effect", U8)), _MIRRORED),
    Form(
        "TeGhost2",
        GhostBlock,
        (
            *(("number", LEB), ("x", LEB), ("z", LEB)),
            *((name, Several(LEB, 4, _GHOST_ORDER)) for name in ("floor", "ceiling")),
        ),
    ),
    Form(
        "TeVolume4",
        Volume,
        (
            *(("number", LEB), _SHAPE, ("position", VECTOR), ("enabled", BOOL)),
            *(("detects_adjacent_rooms", BOOL), ("event_set", I32), _LUA),
        ),
    ),
    Form("TeImp4", ImportedGeometry, (*_MODEL, _COLOR, ("model", LEB)), _LIGHTING),
    Form("TeTri3", ProjectTrigger, (("number", LEB), ("area", _AREA)), _TRIGGER),
)
# Editors of before version 2.0 do not know these.
PROPERTY_FORMS = (
    Form("TeMovTn3", Moveable, (*_TEN_MOVEABLE, _PROPERTIES)),
    Form("TeStaTn3", Static, (*_TEN_STATIC, _PROPERTIES)),
)
_OLD_MOVEABLE = (*_START, _Y, _ID, ("slot", U32), _OCB, *_MARKS)
_OLD_STATIC = (*_START, _Y, _ID, ("slot", U32), _COLOR, _NONE_F32, _OCB)
OLD_FORMS = (
    Form("TeMov", Moveable, _OLD_MOVEABLE),
    Form("TeMov2", Moveable, _OLD_MOVEABLE, _OLD_LIST),
    Form("TeMov3", Moveable, (*_OLD_MOVEABLE, _COLOR), _OLD_LIST),
    Form("TeMovTen", Moveable, (*_START, _Y, _NO_ID, ("slot", U32), _OCB, *_MARKS, _COLOR, _LUA)),
    Form("TeSta", Static, _OLD_STATIC),
    Form("TeSta2", Static, _OLD_STATIC, _OLD_LIST),
    Form("TeStaTen", Static, (*_START, _Y, _NO_ID, ("slot", U32), _COLOR, _OCB, _LUA)),
    Form("TeCam", Camera, (*_START, _ID, ("mode", _Locked()))),
    Form("TeCam2", Camera, (*_START, _ID, ("mode", _Locked()), ("move_timer", U8))),
    Form("TeSpr", Sprite, (*_START, ("frame", U16)), after=lambda values: values.update(slot=-1)),
    Form("TeSpr2", Sprite, (*_START, ("slot", I32), ("frame", I32))),
    Form("TeFly2", Flyby, COMMON_FORMS[1].fields, _OLD_LIST),
    Form("TeMemo", Memo, (*_START, ("text", STRING))),
    Form("TeSou", SoundSource, (*_START, ("", U16), ("", I16), ("", U8))),
    Form("TeSou2", SoundSource, (*_START, ("", DOT_NET_STRING), ("", I16), ("", U8))),
    Form("TeSou3", SoundSource, (*_START, ("", STRING), ("", LEB))),
    Form("TeSou4", SoundSource, (*_START, ("sound", I32), ("", I16), ("", U8))),
    Form("TeSndSrc", SoundSource, (*_START, *_SOUND, _ID)),
    Form("TeSound", SoundSource, (*_START, *_SOUND)),
    Form("TeLig4", Light, (*_LIGHT, _IMPORTED, _QUALITY)),
    Form("TeLig3", Light, (*_LIGHT, _IMPORTED, _QUALITY), after=_old_fog),
    Form("TeLig2", Light, (*_LIGHT, _IMPORTED), after=_old_fog),
    Form("TeLig", Light, _LIGHT, after=_oldest_light),
    Form("TePor", ProjectPortal, _PORTAL),
    Form(
        "TeGhost",
        GhostBlock,
        (
            *(("number", LEB), ("x", LEB), ("z", LEB)),
            *((name, Several(LEB, 4, _GHOST_ORDER, CLICK)) for name in ("floor", "ceiling")),
        ),
    ),
    Form(
        "TeVolumeTest",
        Volume,
        (("number", LEB), _OLD_SHAPE, ("position", VECTOR), ("", U16), *([("", STRING)] * 5)),
    ),
    Form("TeVolume1", Volume, (("number", LEB), _OLD_SHAPE, ("position", VECTOR), ("event_set", I32))),
    Form("TeVolume2", Volume, (("number", LEB), _OLD_SHAPE, ("position", VECTOR), ("event_set", I32), _LUA)),
    Form("TeVolume3", Volume, (("number", LEB), _SHAPE, ("position", VECTOR), ("event_set", I32), _LUA)),
    Form("TeImp", ImportedGeometry, (*_MODEL, ("", _OptionalString()), ("model", LEB))),
    Form("TeImp2", ImportedGeometry, (*_MODEL, ("", STRING), ("model", LEB))),
    Form("TeImp3", ImportedGeometry, (*_MODEL, ("model", LEB)), _LIGHTING),
    Form("TeTri2", ProjectTrigger, (("number", LEB), ("area", _AREA)), _TRIGGER),
    Form(
        "TeTri",
        ProjectTrigger,
        (
            *(("number", LEB), ("area", _AREA), ("type", LEB), ("target_type", LEB), ("target", LEB)),
            *(("object", LEB), ("timer", LEB), ("code_bits", LEB), ("one_shot", BOOL)),
        ),
        after=_oldest_trigger,
    ),
)


_UNKNOWN = Form("", UnknownObject, _START)
_STEM = 5  # characters of a chunk's name that the forms of a kind of objects share
_MOST_NUMBER, _MOST_SLOT, _MOST_FLOAT = 1 << 24, 0xFFFF, float(1 << 20)


class ObjectList(FormList):
    """The objects of a room.

    Chunks with unknown names are read in the form that they begin with, and keep what follows.
    """

    def __init__(self) -> None:
        super().__init__(*PROPERTY_FORMS, *TOMB_ENGINE_FORMS, *OTHER_FORMS, *COMMON_FORMS, *OLD_FORMS)
        self._of_game = {
            True: {form.make: form for form in (*COMMON_FORMS, *TOMB_ENGINE_FORMS)},
            False: {form.make: form for form in (*COMMON_FORMS, *OTHER_FORMS)},
        }
        self._with_properties = {form.make: form for form in PROPERTY_FORMS}

    def today(self, element: PlacedObject, context: ProjectContext) -> Form:
        source = element.source
        form = None if source is None else self.form_of(source, context)
        kind, properties = type(element), getattr(element, "properties", ())
        if form in PROPERTY_FORMS:
            return form
        if form is not None and source is not None and form.chunk != source.name:
            if properties:
                text = T("objects of the unknown form {name} can have no properties", name=source.name)
                name = f"{element.noun} {element.number}"
                raise ExportError(name, text)
            return form
        return self._with_properties[kind] if properties else self._of_game[context.tomb_engine][kind]

    def element(self, chunk: Chunk, context: ProjectContext) -> PlacedObject | None:
        if chunk.name in self.names:
            return super().element(chunk, context)
        form = self.form_of(chunk, context)
        context.unknown[chunk.name, UnknownObject if form is None else form.make] += 1
        return None if form is None else form.read(chunk, context)

    def form_of(self, chunk: Chunk, context: ProjectContext) -> Form | None:
        if chunk.name in self.names:
            return super().form_of(chunk, context)
        return next((form for form in self._likely(chunk.name, context) if _begins_as(chunk, form)), None)

    def _likely(self, name: str, context: ProjectContext) -> list[Form]:
        """Return the forms that a chunk with an unknown name may extend, the likeliest first."""
        targets = TOMB_ENGINE_FORMS, OTHER_FORMS
        forms = (
            *PROPERTY_FORMS,
            *targets[not context.tomb_engine],
            *targets[context.tomb_engine],
            *COMMON_FORMS,
        )
        common = [(_common(name, form.chunk), form) for form in forms]
        common = sorted((each for each in common if each[0] >= _STEM), key=lambda each: -each[0])
        return [*(form for _, form in common), _UNKNOWN]


def _common(one: str, other: str) -> int:
    """Return how many characters two names have in common at their start."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))


def _begins_as(chunk: Chunk, form: Form) -> bool:
    """Return whether a chunk begins with the fields of a form: all of them are what this form may write."""
    try:
        element = form.read(chunk, ProjectContext())
        return form.begins(element, chunk) and all(map(_is_plausible, vars(element).items()))
    except (FormatError, ExportError):
        return False


def _is_plausible(item: tuple[str, Any]) -> bool:
    """Return whether the value of an attribute is one of usual objects."""
    name, value = item
    if name == "number":
        return 0 <= value <= _MOST_NUMBER
    if name == "slot":
        return 0 <= value <= _MOST_SLOT
    numbers = value if isinstance(value, tuple) else (value,)
    return all(abs(each) <= _MOST_FLOAT for each in numbers if isinstance(each, float))
