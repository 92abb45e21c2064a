"""Translation of messages.

Blender itself translates names, tooltips and fixed labels, once it knows the texts of a language; all other
messages are translated here. Texts are read only if the user has chosen their language.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy

from ....scene.properties import CONTEXT

if TYPE_CHECKING:
    from ...translations.dictionary import Dictionary

_FOLDER = Path(__file__).resolve().parents[2] / "translations"
_CONTEXTS = ("*", "Operator", CONTEXT)  # contexts in which Blender looks for texts
_LANGUAGE_SETTING: Any = (bpy.types.PreferencesView, "language")


class _Current:
    """The current language, its dictionary, and the owner of the subscription to changes."""

    locale = ""
    dictionary: Dictionary | None = None
    owner = object()


_current = _Current()


def languages() -> list[str]:
    """Return the languages that have translations."""
    return sorted(_files())


def texts_of(language: str) -> dict[str, str]:
    """Return the translations of a language by their English texts."""
    from ...translations.dictionary import read_texts

    return read_texts(_files()[language], language)


def _files() -> dict[str, Path]:
    """Return the file of each language. The extension's zip has one for all, with their names in its own."""
    packed = {language: path for path in _FOLDER.glob("*.json.bz2") for language in path.name.split(".")[:-2]}
    return {**packed, **{path.stem: path for path in _FOLDER.glob("*.po")}}


def translate(message: str) -> str:
    """Return a message or a fixed text in the user's language."""
    return message if _current.dictionary is None else _current.dictionary.translate(message)


def set_locale(locale: str) -> None:
    """Register the texts of a language with Blender, and unregister those of the previous one.

    The locale is Blender's name, such as ``de_DE``, ``de`` or ``en_US``.
    """
    language = locale.partition("_")[0]
    if language not in languages():
        language = ""
    if language == _current.locale:
        return
    if _current.locale:
        bpy.app.translations.unregister(__name__)
    _current.locale, _current.dictionary = language, None
    if language:
        from ...translations.dictionary import Dictionary

        texts = texts_of(language)
        entries = {(context, text): texts[text] for text in texts for context in _CONTEXTS}
        bpy.app.translations.register(__name__, {language: entries})
        _current.dictionary = Dictionary(texts, partial(_translated, texts))


def _translated(texts: dict[str, str], text: str) -> str:
    """Return the translation of a text, if the user wants reports translated.

    Blender's own may differ in meaning.
    """
    translation = texts.get(text)
    if translation and bpy.app.translations.pgettext_rpt(text, CONTEXT) != text:
        return translation
    return text


def follow() -> None:
    """Switch to the language that the user has chosen."""
    set_locale(bpy.app.translations.locale)


def listen() -> None:
    """Switch to the user's language now, and at each change. Blender forgets this when a file is opened."""
    follow()
    if not bpy.app.background:
        bpy.msgbus.clear_by_owner(_current.owner)
        bpy.msgbus.subscribe_rna(
            key=_LANGUAGE_SETTING, owner=_current.owner, args=(), notify=follow, options={"PERSISTENT"}
        )


register = listen


def unregister() -> None:
    bpy.msgbus.clear_by_owner(_current.owner)
    set_locale("")
