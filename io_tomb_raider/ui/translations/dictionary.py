"""Translation of texts and messages to one language. Nothing here needs Blender.

Files of texts have gettext's format: ``msgid`` and ``msgstr``, with placeholders such as ``{count}``. An
installed extension has those of all languages in one file (`build.packed_translations`). A message is looked
up by its template, and filled with its arguments, which are translated if they are messages themselves.
"""

from __future__ import annotations

import bz2
import json
import re
from collections.abc import Callable
from pathlib import Path

from ...formats.base import Text

LookUp = Callable[[str], str]

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}


def read_texts(path: Path, language: str = "") -> dict[str, str]:
    """Read the translations of texts, in file order. A packed file (``.json.bz2``) has several languages."""
    if path.suffix == ".po":
        return _parsed(path.read_text(encoding="utf-8"))
    texts, *columns = json.loads(bz2.decompress(path.read_bytes()))
    column = columns[path.name.split(".").index(language)]
    return _parsed(
        "\n".join(f"{text}\nmsgstr {translation}" for text, translation in zip(texts, column, strict=True))
    )


def _parsed(text: str) -> dict[str, str]:
    result: dict[str, str] = {}
    fields = {"msgid": "", "msgstr": ""}
    field = "msgid"
    for line in [*text.splitlines(), 'msgid ""']:
        word = line.partition(" ")[0]
        if word == "msgid":
            if fields["msgid"]:
                result[fields["msgid"]] = fields["msgstr"]
            fields = {"msgid": "", "msgstr": ""}
        if word in fields:
            field = word
        quoted = _STRING.search(line)
        if quoted is not None and not line.startswith("#"):
            fields[field] += re.sub(r"\\.", lambda escape: _ESCAPES[escape[0]], quoted[1])
    return result


class Dictionary:
    """Texts of one language.

    ``look_up`` returns the translation of a text, or the text itself if it has none or must stay.
    """

    def __init__(self, texts: dict[str, str], look_up: LookUp | None = None) -> None:
        self.texts = texts
        self._look_up = look_up or (lambda text: texts.get(text) or text)

    def translate(self, message: str) -> str:
        """Return the translation of a message or of a fixed text; others are returned unchanged."""
        if not isinstance(message, Text):
            return self._look_up(message)
        template = self._look_up(message.template)
        if not message.values:
            return template
        values = {
            name: self.translate(value) if isinstance(value, Text) else value
            for name, value in message.values.items()
        }
        return template.format_map(values)
