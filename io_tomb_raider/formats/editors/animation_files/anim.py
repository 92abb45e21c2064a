"""``.anim``: an animation as WadTool exports it, the XML of a .NET class.

Its declaration says UTF-16, but the bytes are UTF-8. Positions have y up, angles are degrees; both are 32-bit
floats. ``Minimum`` and ``Maximum`` of boxes have the signs of y changed without being swapped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Floats
from ...base.errors import ExportError, FormatError
from ...base.messages import T
from ...base.units import TURN
from .animation import COMMAND_NAMES, AnimationFile, Blending, FileCommand, FileDispatch, FileStateChange
from .xml_tree import Document, XmlElement

_ROOT = "WadAnimation"
_UNSIGNED, _BYTE, _SIGNED = (0, 0xFFFF), (0, 0xFF), (-0x8000, 0x7FFF)
# Whole numbers of an animation, in the order of the file, as attributes and with their limits.
_NUMBERS = {
    "FrameRate": ("frame_rate", _BYTE),
    "StateId": ("state", _UNSIGNED),
    "EndFrame": ("last_frame", _UNSIGNED),
    "NextAnimation": ("next_animation", _UNSIGNED),
    "NextFrame": ("next_frame", _UNSIGNED),
}
_PARAMETERS = ("Parameter1", "Parameter2", "Parameter3")
_XYZ = ("X", "Y", "Z")
_SPEEDS = ("StartVelocity", "EndVelocity", "StartLateralVelocity", "EndLateralVelocity")
_CURVE = ("Start", "End", "StartHandle", "EndHandle")
_TAGS = frozenset(
    {
        *("Name", *_NUMBERS, *_PARAMETERS, *_SPEEDS, *_XYZ, *_CURVE),
        *("KeyFrames", "WadKeyFrame", "BoundingBox", "Minimum", "Maximum", "Offset", "Angles"),
        *("WadKeyFrameRotation", "Rotations", "StateChanges", "WadStateChange", "Dispatches"),
        *("WadAnimDispatch", "InFrame", "OutFrame", "NextFrameLow", "NextFrameHigh", "BlendFrameCount"),
        *("BlendCurve", "AnimCommands", "WadAnimCommand", "Type"),
    }
)
_MOST_BYTES = 1 << 26
_MOST_ELEMENTS = 1_000_000  # 4000 keys of 50 bones
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")
_UP = np.array([1.0, -1.0, 1.0])  # y points up in the file
_TURNS = np.array([-1.0, 1.0, -1.0]) * (TURN / 360.0)

_DECLARATION = '<?xml version="1.0" encoding="utf-16"?>'
_INSTANCE = "http://www.w3.org/2001/XMLSchema"
_HEAD = f'{_DECLARATION}\n<{_ROOT} xmlns:xsi="{_INSTANCE}-instance" xmlns:xsd="{_INSTANCE}">'
# Characters that XML has no place for.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class TextStyle:
    """How an ``.anim`` is spelled, so that an unedited one is written as it was."""

    #: encoding, mark: Python's name of the encoding, and the byte order mark.
    encoding: str = "utf-8"
    mark: bytes = b""
    newline: str = "\n"  #: the line end.
    head: str = _HEAD  #: the text up to the end of the tag of the root, with \n for line ends.
    tail: str = ""  #: the text after the root.
    has_nine_digits: bool = False  #: numbers have 7 digits, or 9 where these are too few, as of older .NET.


DEFAULT_STYLE = TextStyle()
# An element to write: its name, and its value or a list of elements.
_Node = tuple[str, Any]


# --- Reading ----------------------------------------


def read_anim(data: bytes) -> AnimationFile:
    """Decode an ``.anim``.

    Raises:
        FormatError: if it is none, or damaged.
    """
    if len(data) > _MOST_BYTES:
        raise FormatError("file", f"at most {_MOST_BYTES} bytes", str(len(data)))
    document = Document(data, _TAGS, _MOST_ELEMENTS)
    return _Reader(document).read(_style(document))


def _style(document: Document) -> TextStyle:
    text = document.text.content
    newline = "\r\n" if "\r\n" in text else "\n"
    text = text.replace("\r\n", "\n")
    start = text.find(f"<{_ROOT}")
    end = text.find(">", start) + 1
    head, tail = text[:end], text[text.rfind(">") + 1 :]
    if start < 0 or head.endswith("/>") or tail.strip():
        head, tail = _HEAD, ""
    return TextStyle(document.text.encoding, document.text.mark, newline, head, tail)


class _Reader:
    """Decoder of the elements of a document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._find, self._require, self._each = document.find, document.require, document.each
        self._has_nine_digits = False

    def read(self, style: TextStyle) -> AnimationFile:
        root = self._document.root
        if root.tag != _ROOT:
            raise self._document.error(root, f"an element {_ROOT}", root.tag)
        keys = list(self._each(self._require(root, "KeyFrames"), "WadKeyFrame"))
        boxes, offsets, angles = self._keys(keys)
        name = self._find(root, "Name")
        numbers: dict[str, Any] = {
            attribute: self._number(root, tag, limits) for tag, (attribute, limits) in _NUMBERS.items()
        }
        return AnimationFile(
            name="" if name is None else name.text,
            **numbers,
            velocities=np.array([self._float(root, tag) for tag in _SPEEDS]),
            boxes=boxes,
            offsets=offsets,
            angles=angles,
            state_changes=tuple(
                self._change(each, number)
                for number, each in enumerate(self._each(self._find(root, "StateChanges"), "WadStateChange"))
            ),
            commands=tuple(
                self._command(each, number)
                for number, each in enumerate(self._each(self._find(root, "AnimCommands"), "WadAnimCommand"))
            ),
            blending=self._blending(root),
            text=replace(style, has_nine_digits=self._has_nine_digits),
        )

    def _keys(self, keys: Sequence[XmlElement]) -> tuple[Floats, Floats, Floats]:
        ends: list[XmlElement] = []
        offsets: list[XmlElement] = []
        turns: list[XmlElement] = []
        bones = 0
        for number, key in enumerate(keys):
            box = self._require(key, "BoundingBox")
            ends += (self._require(box, "Minimum"), self._require(box, "Maximum"))
            offsets.append(self._require(key, "Offset"))
            angles = self._require(key, "Angles")
            elements = self._each(angles, "WadKeyFrameRotation")
            rotations = [self._require(each, "Rotations") for each in elements]
            if number == 0:
                bones = len(rotations)
            elif len(rotations) != bones:
                text = f"{bones} angles as in the first key"
                raise self._document.error(angles, text, str(len(rotations)), number=number)
            turns += rotations
        return (
            self._vectors(ends).reshape(-1, 2, 3) * _UP,
            self._vectors(offsets) * _UP,
            self._vectors(turns).reshape(len(keys), bones, 3) * _TURNS,
        )

    def _vectors(self, elements: Sequence[XmlElement]) -> Floats:
        """Return vectors, (n, 3)."""
        rows = [[self._value(self._require(each, axis)) for axis in _XYZ] for each in elements]
        return np.array(rows, np.float64).reshape(-1, 3)

    def _change(self, element: XmlElement, number: int) -> FileStateChange:
        dispatches = self._each(self._find(element, "Dispatches"), "WadAnimDispatch")
        state = self._number(element, "StateId", number=number)
        return FileStateChange(state, tuple(self._dispatch(each) for each in dispatches))

    def _dispatch(self, element: XmlElement) -> FileDispatch:
        is_newer = self._find(element, "NextFrameLow") is not None
        last = self._find(element, "NextFrameHigh")
        return FileDispatch(
            self._number(element, "InFrame"),
            self._number(element, "OutFrame"),
            self._number(element, "NextAnimation"),
            self._number(element, "NextFrameLow" if is_newer else "NextFrame"),
            None if last is None else self._number(element, "NextFrameHigh"),
            self._blending(element),
        )

    def _blending(self, element: XmlElement) -> Blending | None:
        frames, curve = self._find(element, "BlendFrameCount"), self._find(element, "BlendCurve")
        if frames is None and curve is None:
            return None
        points = () if curve is None else [self._require(curve, tag) for tag in _CURVE]
        values = (self._value(self._require(point, axis)) for point in points for axis in _XYZ[:2])
        count = 0 if frames is None else self._number(element, "BlendFrameCount")
        return Blending(count, tuple(values))

    def _command(self, element: XmlElement, number: int) -> FileCommand:
        kind = self._require(element, "Type")
        text = kind.text.strip()
        if text in COMMAND_NAMES:
            type_ = COMMAND_NAMES.index(text) + 1
        elif text in {str(each + 1) for each in range(len(COMMAND_NAMES))}:  # as some programs write it
            type_ = int(text)
        else:
            raise self._document.error(kind, f"one of {', '.join(COMMAND_NAMES)}", text, number=number)
        parameters = (self._number(element, tag, _SIGNED, number=number) for tag in _PARAMETERS)
        return FileCommand(type_, *parameters)

    # --- Numbers

    def _number(
        self, parent: XmlElement, tag: str, limits: tuple[int, int] = _UNSIGNED, *, number: int | None = None
    ) -> int:
        element = self._require(parent, tag)
        text, (low, high) = element.text.strip(), limits
        if not _INTEGER.fullmatch(text) or not low <= int(text) <= high:
            raise self._document.error(element, f"a whole number from {low} to {high}", text, number=number)
        return int(text)

    def _float(self, parent: XmlElement, tag: str) -> float:
        """Return an optional number, 0 by default."""
        element = self._find(parent, tag)
        return 0.0 if element is None else self._value(element)

    def _value(self, element: XmlElement) -> float:
        text = element.text.strip()
        if _NUMBER.fullmatch(text):
            with np.errstate(over="ignore"):
                value = float(np.float32(text))
            if np.isfinite(value):
                number = np.float32(value)
                self._has_nine_digits |= _spelled(number) != text == _in_nine_digits(number)
                return value
        raise self._document.error(element, "a number with a decimal point, such as 1.5", text)


# --- Writing ----------------------------------------


def write_anim(animation: AnimationFile) -> bytes:
    """Encode an animation as WadTool writes it, in the style of its file if it has one.

    Raises:
        ExportError: if a number does not fit the file, or numbers of animations are relative.
    """
    if animation.is_relative:
        raise ExportError(animation.name, T("its next animations are relative to its number"))
    style = _style_of(animation)
    lines = style.head.split("\n")
    _append_lines(lines, _nodes(animation), 1)
    text = "\n".join([*lines, f"</{_ROOT}>"]) + style.tail
    if style.newline != "\n":
        text = text.replace("\n", style.newline)
    errors = "strict" if style.encoding.startswith("utf") else "xmlcharrefreplace"
    return style.mark + text.encode(style.encoding, errors)


def _append_lines(lines: list[str], nodes: Iterable[_Node], depth: int) -> None:
    """Append the lines of elements."""
    indent = "    " * depth
    for tag, content in nodes:
        if not isinstance(content, list):
            lines.append(f"{indent}<{tag}>{content}</{tag}>")
        elif not content:
            lines.append(f"{indent}<{tag} />")
        else:
            lines.append(f"{indent}<{tag}>")
            _append_lines(lines, content, depth + 1)
            lines.append(f"{indent}</{tag}>")


def _style_of(animation: AnimationFile) -> TextStyle:
    return animation.text if isinstance(animation.text, TextStyle) else DEFAULT_STYLE


def _nodes(animation: AnimationFile) -> list[_Node]:
    """Return the elements inside the root."""
    numbers = ((tag, getattr(animation, name), limits) for tag, (name, limits) in _NUMBERS.items())
    return [
        *((tag, _fit(animation, tag, value, limits)) for tag, value, limits in numbers),
        ("Name", escape(_FORBIDDEN.sub("_", animation.name)) or []),
        *zip(_SPEEDS, _texts(animation.velocities, animation), strict=True),
        *_blending(animation, animation.blending),
        ("KeyFrames", [*_keys(animation)]),
        ("StateChanges", [_change(animation, each) for each in animation.state_changes]),
        ("AnimCommands", [_command(animation, each) for each in animation.commands]),
    ]


def _keys(animation: AnimationFile) -> Iterator[_Node]:
    ends = iter(_vectors("Minimum Maximum", animation.boxes * _UP, animation))
    turns = iter(_vectors("Rotations", animation.angles / _TURNS, animation))
    for offset in _vectors("Offset", animation.offsets * _UP, animation):
        box = ("BoundingBox", [next(ends), next(ends)])
        angles = [("WadKeyFrameRotation", [next(turns)]) for _ in range(animation.bones)]
        yield "WadKeyFrame", [box, offset, ("Angles", angles)]


def _vectors(tags: str, values: Floats, animation: AnimationFile) -> list[_Node]:
    """Return vectors, shape (..., 3), as elements with these names in turn."""
    texts = iter(_texts(values.ravel(), animation))
    rows = zip(texts, texts, texts, strict=True)
    return [
        (tag, [*zip(_XYZ, row, strict=True)]) for tag, row in zip(cycle(tags.split()), rows, strict=False)
    ]


def _change(animation: AnimationFile, change: FileStateChange) -> _Node:
    state = ("StateId", _fit(animation, "StateId", change.state))
    dispatches = [_dispatch(animation, each) for each in change.dispatches]
    return "WadStateChange", [state, ("Dispatches", dispatches)]


def _dispatch(animation: AnimationFile, dispatch: FileDispatch) -> _Node:
    is_newer = dispatch.last_frame is not None or dispatch.blending is not None
    numbers = {
        "InFrame": dispatch.low,
        "OutFrame": dispatch.high,
        "NextAnimation": dispatch.next_animation,
        "NextFrameLow" if is_newer else "NextFrame": dispatch.next_frame,
    }
    if dispatch.last_frame is not None:
        numbers["NextFrameHigh"] = dispatch.last_frame
    fitted = [(tag, _fit(animation, tag, value)) for tag, value in numbers.items()]
    return "WadAnimDispatch", [*fitted, *_blending(animation, dispatch.blending)]


def _blending(animation: AnimationFile, blending: Blending | None) -> Iterator[_Node]:
    if blending is None:
        return
    yield "BlendFrameCount", _fit(animation, "BlendFrameCount", blending.frames)
    if blending.curve:
        values = _texts(np.array(blending.curve), animation)
        points = zip(values[::2], values[1::2], strict=True)
        pairs = zip(_CURVE, points, strict=True)
        yield "BlendCurve", [(tag, [*zip(_XYZ, point, strict=False)]) for tag, point in pairs]


def _command(animation: AnimationFile, command: FileCommand) -> _Node:
    if not 1 <= command.type <= len(COMMAND_NAMES):
        raise ExportError(
            animation.name, T("command {command} has no name in an .anim", command=command.type)
        )
    pairs = zip(_PARAMETERS, command[1:], strict=True)
    numbers = [(tag, _fit(animation, tag, value, _SIGNED)) for tag, value in pairs]
    return "WadAnimCommand", [("Type", COMMAND_NAMES[command.type - 1]), *numbers]


def _fit(animation: AnimationFile, tag: str, value: int, limits: tuple[int, int] = _UNSIGNED) -> int:
    low, high = limits
    if not low <= value <= high:
        raise ExportError(animation.name, T("{tag} does not fit an .anim", tag=tag), count=value, limit=high)
    return int(value)


def _texts(values: Floats, animation: AnimationFile) -> list[str]:
    """Return numbers as .NET spells 32-bit floats.

    Raises:
        ExportError: if one does not fit.
    """
    with np.errstate(over="ignore"):
        floats: NDArray[np.float32] = values.astype(np.float32)
    if not np.isfinite(floats).all():
        raise ExportError(animation.name, T("a number is too large for an .anim"))
    spelled = _in_nine_digits if _style_of(animation).has_nine_digits else _spelled
    return [spelled(each) for each in floats]


def _spelled(value: np.float32) -> str:
    """Return the shortest spelling that gives the same number."""
    size = abs(value)
    if size == 0:
        return "0"
    if 1e-4 <= size < 1e7:
        return str(value).removesuffix(".0")
    return np.format_float_scientific(value, trim="-", exp_digits=2).replace("e", "E")


def _in_nine_digits(value: np.float32) -> str:
    """Return a number with 7 digits if that gives the same number, else with 9."""
    text = f"{value + np.float32(0):.7G}"  # without the sign of 0
    return text if np.float32(text) == value else f"{value:.9G}"
