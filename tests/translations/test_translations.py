"""Tests that German is complete, is used for all messages, and is not loaded in other languages."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.scene.properties.kinds import CONTEXT
from io_tomb_raider.ui.base import i18n
from io_tomb_raider.ui.translations.dictionary import Dictionary, places, read_texts, write_texts
from tests.ui.user_actions import sample_file

from .extract import all_texts


@pytest.fixture(scope="module")
def german() -> Dictionary:
    return Dictionary(i18n.texts_of("de"))


def test_every_text_has_a_translation_and_none_is_left_over(blender: ModuleType) -> None:
    """python -m tests.translations updates the files."""
    wanted = all_texts()
    assert len(wanted) > 2000
    assert i18n.languages() == ["de"]
    for language in i18n.languages():
        texts = i18n.texts_of(language)
        assert wanted - set(texts) == set()
        assert set(texts) - wanted == set()
        assert [text for text, other in texts.items() if not other] == []
        assert [text for text, other in texts.items() if places(text) != places(other)] == []


def test_translations_are_written_as_what_they_translate(german: Dictionary) -> None:
    for text, other in german.texts.items():
        assert len(text) - len(text.lstrip()) == len(other) - len(other.lstrip()), text
        assert text.endswith(" ") == other.endswith(" ") and text.count("\n") == other.count("\n"), text
        # Tooltips and labels start with capital letters, and have no period at the end, like Blender's.
        assert not text[0].isupper() or not other[0].islower(), text
        assert text.endswith(".") == other.endswith("."), text
        assert not re.search(r"\b(?:the|with|which|of|is)\b", other), other


@pytest.mark.parametrize(
    ("message", "other"),
    [
        ("Choose the text", "Den Text wählen"),
        (
            "LEVEL1.PHD was not exported: the folder /levels is write-protected",
            "LEVEL1.PHD wurde nicht exportiert: der Ordner /levels ist schreibgeschützt",
        ),
        (
            "Room 12: it has a portal to Room 3, which has none back: use Make Portal where the rooms meet",
            "Raum 12: es hat ein Portal zu Raum 3, das keines zurück hat: "
            "Portal machen benutzen, wo die Räume sich treffen",
        ),
        (
            "A.TR4: changed 1 room, 4 sectors of collision (warnings: 2, see the Info editor)",
            "A.TR4: geändert: 1 Raum, 4 Sektoren der Kollision (Warnungen: 2, siehe Info-Editor)",
        ),
        ("A.TR4: same as the original", "A.TR4: wie das Original"),
        (
            "Lara: too many vertices: 300 (the limit is 255)",
            "Lara: zu viele Punkte: 300 (die Grenze ist 255)",
        ),
        ("My Dragon is here", "My Dragon is here"),
    ],
)
def test_messages_are_told_with_what_is_filled_in(german: Dictionary, message: str, other: str) -> None:
    assert german.translate(message) == other


def test_operators_report_in_the_language_of_the_user(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, german: Dictionary
) -> None:
    """The bpy module has no languages, so this test replaces Blender's lookup."""
    monkeypatch.setattr(i18n._current, "dictionary", german)
    (tmp_path / "broken.phd").write_bytes(sample_file(tmp_path).read_bytes()[:5000])
    with pytest.raises(RuntimeError, match=r"broken\.phd wurde nicht importiert: die Datei endet zu früh: "):
        bpy.ops.import_scene.tomb_raider(filepath=str(tmp_path / "broken.phd"))
    with pytest.raises(RuntimeError, match="Zuerst ein Level spielen"):
        bpy.ops.tomb_raider.show_engine_output()


def test_texts_are_read_for_those_only_who_speak_the_language(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered: dict[str, Any] = {}
    stand_in = type("Translations", (), {})()
    stand_in.register = lambda name, texts: registered.update({name: texts})
    stand_in.unregister = lambda name: registered.pop(name)
    stand_in.pgettext_rpt = lambda text, _context: f"translated {text}"
    monkeypatch.setattr(i18n, "bpy", type("Bpy", (), {"app": type("App", (), {"translations": stand_in})}))
    with monkeypatch.context() as patch:
        patch.setattr(i18n, "texts_of", lambda language: pytest.fail(language))
        for locale in ("", "en_US", "fr_FR"):
            i18n.set_locale(locale)
    assert not registered
    for locale in ("de_DE", "de"):  # as in different versions of Blender
        i18n.set_locale(locale)
        (texts,) = registered.values()
        assert texts["de"]["Operator", "Delete Room"] == texts["de"]["*", "Delete Room"] == "Raum löschen"
        i18n.set_locale("en_US")
        assert not registered and i18n.translate("Choose the text") == "Choose the text"


def test_files_of_texts_hold_all_letters(tmp_path: Path) -> None:
    texts = {'a "quoted" {0}\\n\n line': 'ein\n"Zitat" \\ {0}', "#1": "", "Ü": "ß"}
    write_texts(tmp_path / "x.po", texts, "Head\nof it")
    assert read_texts(tmp_path / "x.po") == texts


def test_words_that_blender_uses_otherwise_are_looked_up_apart(blender: ModuleType) -> None:
    """German Blender calls pitch "Neigung", volume "Volumen" and a cut "Ausschneiden"."""
    groups = [
        kind
        for kind in bpy.types.PropertyGroup.__subclasses__()
        if kind.__module__.startswith("io_tomb_raider")
    ]
    fields = [field for kind in groups for field in kind.bl_rna.properties if field.name]
    ours = {field.name for field in fields if field.translation_context == CONTEXT}
    assert {"Pitch", "Volume", "Range", "Sample", "Cutoff"} <= ours
    assert {field.translation_context for field in fields} <= {"*", CONTEXT}
    assert bpy.types.VIEW3D_PT_tomb_raider_level.bl_translation_context == CONTEXT
