"""Translation of texts and messages to one language. Nothing here needs Blender.

Files of texts have gettext's format: ``msgid`` and ``msgstr``, with ``{0}``, ``{1}``, … for inserted values.
Messages are complete sentences with names and numbers, since the modules that raise errors know nothing of
languages. So the template of a message is searched for, longest first, and inserted values are translated,
too, if they are texts themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

LookUp = Callable[[str], str]

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PLACE = re.compile(r"\{(\d+)\}")
_ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}
_NUMBER = re.compile(r"(\d[\d.,]*) (.+)", re.DOTALL)
_LIMITED = re.compile(r"(.+): (\d+) \((the limit is \d+)\)", re.DOTALL)  # format of export errors
_NUMBERED = re.compile(r"(\D+) (\d+)")
_BRACKET = re.compile(r"(.+?) \((.*)\)", re.DOTALL)
_SEPARATORS = (": ", "; ", ". ", ", ", " and ")
_DEEPEST = 8
_FEW = 5  # letters of a short word such as "by"


def read_texts(path: Path) -> dict[str, str]:
    """Read a file of texts.

    Returns:
        The translation of each text, in file order.
    """
    found: dict[str, str] = {}
    fields = {"msgid": "", "msgstr": ""}
    field = "msgid"
    for line in [*path.read_text(encoding="utf-8").splitlines(), 'msgid ""']:
        word = line.partition(" ")[0]
        if word == "msgid":
            if fields["msgid"]:
                found[fields["msgid"]] = fields["msgstr"]
            fields = {"msgid": "", "msgstr": ""}
        if word in fields:
            field = word
        quoted = _STRING.search(line)
        if quoted is not None and not line.startswith("#"):
            fields[field] += re.sub(r"\\.", lambda escape: _ESCAPES[escape[0]], quoted[1])
    return found


def write_texts(path: Path, texts: dict[str, str], head: str) -> None:
    """Write a file of texts, starting with a comment."""
    lines = [*(f"# {line}".rstrip() for line in head.splitlines()), 'msgid ""', 'msgstr ""']
    lines.append('"Content-Type: text/plain; charset=UTF-8\\n"')
    for text, translation in texts.items():
        lines += ["", f'msgid "{_escaped(text)}"', f'msgstr "{_escaped(translation)}"']
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def places(text: str) -> list[str]:
    """Return the sorted numbers of a template's placeholders."""
    return sorted(_PLACE.findall(text))


class Template(NamedTuple):
    """A text with placeholders.

    Attributes:
        text: as in the file.
        longest: longest part between placeholders, for a quick test of messages.
        pattern: matches the messages made of it.
        has_words: whether it has more than a few letters of its own.
    """

    text: str
    longest: str
    pattern: re.Pattern[str]
    has_words: bool


class Dictionary:
    """Texts of one language.

    Args:
        texts: translations by text.
        look_up: returns the translation of a text, or the text itself if it must not be translated.
    """

    def __init__(self, texts: dict[str, str], look_up: LookUp | None = None) -> None:
        self.texts = texts
        self._look_up = look_up or (lambda text: texts.get(text, text))
        self.translate = lru_cache(maxsize=4096)(self._translate)

    @cached_property
    def _templates(self) -> list[Template]:
        """The templates, longest first."""
        made = []
        for text in self.texts:
            pieces = _PLACE.split(text)
            if len(pieces) > 1:
                pattern = "".join(re.escape(p) if at % 2 == 0 else "(.+?)" for at, p in enumerate(pieces))
                own = pieces[::2]
                much = sum(letter.isalpha() for letter in "".join(own)) > _FEW
                made.append(Template(text, max(own, key=len), re.compile(pattern, re.DOTALL), much))
        return sorted(made, key=lambda each: -len(_PLACE.sub("", each.text)))

    def _translate(self, message: str) -> str:
        return self._translated(message, 0)

    def _translated(self, message: str, depth: int) -> str:
        """Translate a message, or return it unchanged."""
        if message in self.texts:
            return self._look_up(message)
        if depth == _DEEPEST or not message:
            return message
        limited = _LIMITED.fullmatch(message)
        if limited is not None:
            problem, count, limit = limited.groups()
            return f"{self._translated(problem, depth + 1)}: {count} ({self._translated(limit, depth + 1)})"
        for template in self._templates:
            found = template.pattern.fullmatch(message) if template.longest in message else None
            if found is not None and _can_be_values(template, found.groups()):
                return self._filled(template.text, found.groups(), depth)
        return next(self._in_pieces(message, depth), message)

    def _filled(self, text: str, values: tuple[str, ...], depth: int) -> str:
        numbers = _PLACE.findall(text)
        known = {
            number: self._translated(each, depth + 1) for number, each in zip(numbers, values, strict=True)
        }
        return _PLACE.sub(lambda place: known[place[1]], self._look_up(text))

    def _in_pieces(self, message: str, depth: int) -> Iterator[str]:
        """Yield a message with translated parts, split at brackets, numbers, and separators."""
        for pattern, joint in ((_BRACKET, "{} ({})"), (_NUMBER, "{} {}"), (_NUMBERED, "{} {}")):
            found = pattern.fullmatch(message)
            if found is not None:
                yield joint.format(*(self._translated(each, depth + 1) for each in found.groups()))
        for separator in _SEPARATORS:
            first, at, second = message.partition(separator)
            if at:
                joint = self._look_up(at) if at in self.texts else at
                yield self._translated(first, depth + 1) + joint + self._translated(second, depth + 1)


def _can_be_values(template: Template, values: tuple[str, ...]) -> bool:
    """Return whether values can have been inserted into a template.

    Brackets must be balanced, and a template with few letters accepts no values with spaces, which would
    match sentences by chance.
    """
    if any(each.count("(") != each.count(")") for each in values):
        return False
    return template.has_words or not any(" " in each for each in values)
