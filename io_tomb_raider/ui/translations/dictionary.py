"""The texts of one language, and messages that are made of them. Nothing here needs Blender.

A file of texts has the form of gettext: ``msgid`` and ``msgstr``, with ``{0}``, ``{1}``, … where something is
filled in. Messages come as whole sentences: from errors of files, which know nothing of languages, and with
names and numbers in them. So the template that a message was made of is found again, the one that says
most first, and what is filled in is translated, too, where it is such a text itself.
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
_LIMITED = re.compile(r"(.+): (\d+) \((the limit is \d+)\)", re.DOTALL)  # as errors of exports
_NUMBERED = re.compile(r"(\D+) (\d+)")
_BRACKET = re.compile(r"(.+?) \((.*)\)", re.DOTALL)
_SEPARATORS = (": ", "; ", ". ", ", ", " and ")
_DEEPEST = 8
_FEW = 5  # letters, as those of "by"


def read_texts(path: Path) -> dict[str, str]:
    """Read a file of texts.

    Returns:
        What each text is called in the language, in the order of the file.
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
    """Write a file of texts, behind a comment."""
    lines = [*(f"# {line}".rstrip() for line in head.splitlines()), 'msgid ""', 'msgstr ""']
    lines.append('"Content-Type: text/plain; charset=UTF-8\\n"')
    for text, said in texts.items():
        lines += ["", f'msgid "{_escaped(text)}"', f'msgstr "{_escaped(said)}"']
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def places(text: str) -> list[str]:
    """Return the numbers of the places of a template, in their order as they are filled in."""
    return sorted(_PLACE.findall(text))


class Template(NamedTuple):
    """A text with places.

    Attributes:
        text: as in the file.
        longest: the longest piece between places, which messages of it have.
        pattern: what messages of it look like.
        says_much: it has words of its own.
    """

    text: str
    longest: str
    pattern: re.Pattern[str]
    says_much: bool


class Dictionary:
    """The texts of one language.

    Args:
        texts: what each is called.
        look_up: gives that, or the text itself where users do not want it.
    """

    def __init__(self, texts: dict[str, str], look_up: LookUp | None = None) -> None:
        self.texts = texts
        self._look_up = look_up or (lambda text: texts.get(text, text))
        self.tell = lru_cache(maxsize=4096)(self._tell)

    @cached_property
    def _templates(self) -> list[Template]:
        """The templates, those that say most first."""
        made = []
        for text in self.texts:
            pieces = _PLACE.split(text)
            if len(pieces) > 1:
                pattern = "".join(re.escape(p) if at % 2 == 0 else "(.+?)" for at, p in enumerate(pieces))
                own = pieces[::2]
                much = sum(letter.isalpha() for letter in "".join(own)) > _FEW
                made.append(Template(text, max(own, key=len), re.compile(pattern, re.DOTALL), much))
        return sorted(made, key=lambda each: -len(_PLACE.sub("", each.text)))

    def _tell(self, message: str) -> str:
        return self._translated(message, 0)

    def _translated(self, message: str, depth: int) -> str:
        """Translate a message, or return it as it is."""
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
            if found is not None and _is_sound(template, found.groups()):
                return self._filled(template.text, found.groups(), depth)
        return next(self._in_pieces(message, depth), message)

    def _filled(self, text: str, values: tuple[str, ...], depth: int) -> str:
        numbers = _PLACE.findall(text)
        known = {
            number: self._translated(each, depth + 1) for number, each in zip(numbers, values, strict=True)
        }
        return _PLACE.sub(lambda place: known[place[1]], self._look_up(text))

    def _in_pieces(self, message: str, depth: int) -> Iterator[str]:
        """Yield a message whose pieces are translated, as lists and what is said of an object by its name."""
        for pattern, joint in ((_BRACKET, "{} ({})"), (_NUMBER, "{} {}"), (_NUMBERED, "{} {}")):
            found = pattern.fullmatch(message)
            if found is not None:
                yield joint.format(*(self._translated(each, depth + 1) for each in found.groups()))
        for separator in _SEPARATORS:
            first, at, second = message.partition(separator)
            if at:
                joint = self._look_up(at) if at in self.texts else at
                yield self._translated(first, depth + 1) + joint + self._translated(second, depth + 1)


def _is_sound(template: Template, values: tuple[str, ...]) -> bool:
    """Tell whether values can be what was filled in.

    Brackets are whole, and a template that says next to nothing does not fit sentences by chance.
    """
    if any(each.count("(") != each.count(")") for each in values):
        return False
    return template.says_much or not any(" " in each for each in values)
