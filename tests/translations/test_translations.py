"""Tests that translations are complete, are used for all messages, and are loaded only if they are needed."""

from __future__ import annotations

import ast
import re
import shutil
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

import build
from io_tomb_raider.formats import ExportError
from io_tomb_raider.formats.base.messages import T, Text, plural
from io_tomb_raider.scene.core.reporting.report import Report, first_few
from io_tomb_raider.scene.properties.base.kinds import CONTEXT
from io_tomb_raider.ui.base.text import i18n
from io_tomb_raider.ui.translations.dictionary import Dictionary, read_texts
from tests.ui.user_actions import sample_file

from .extract import all_texts, mistakes, sources
from .po_files import placeholders, write_texts


@pytest.fixture(scope="module")
def german() -> Dictionary:
    return Dictionary(i18n.texts_of("de"))


def test_translations_are_of_texts_that_are_used_and_keep_their_places(blender: ModuleType) -> None:
    """python -m tests.translations updates the files."""
    wanted = all_texts()
    assert len(wanted) > 2000
    assert "de" in i18n.languages()
    for language in i18n.languages():
        texts = i18n.texts_of(language)
        # New texts stay English until the next release, which needs all of them (`build.py release`).
        assert set(texts) - wanted == set()
        assert len(texts) > 0.9 * len(wanted)
        with_places = {text: other for text, other in texts.items() if other and "{" in text}
        assert [
            text for text, other in with_places.items() if placeholders(text) != placeholders(other)
        ] == []


def test_every_message_can_be_translated() -> None:
    found = [f"{name}, {each}" for name, tree in sources() for each in mistakes(tree)]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "T(text)",
        "T(f'{count} faces', count=count)",
        "T('{count} faces')",
        "T('{count} faces', number=1)",
        "T('faces', number=1)",
        "T('{count} faces', **values)",
        "plural('one face', '{number} faces', 2)",
        "plural(one, '{count} faces', 2)",
        "N_(text)",
        "ExportError('Lara', f'{count} faces')",
        "ExportError('Lara', 'it has no mesh')",
        "ExportError(f'Room {number}', T('it has no mesh'))",
        "report.warn(name, T('it has no mesh') if alone else 'it has no parent')",
        "report_line(self, 'ERROR', T('{count} faces', count=1) + f', {limit} left')",
        "context.report.warn_all(name, f'{count} faces')",
        "layout.label(text=translate(f'{count} faces'))",
    ],
)
def test_messages_that_cannot_be_translated_are_found(source: str) -> None:
    assert list(mistakes(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "T('{count} faces of {name}', count=1, name=name)",
        "T('{speed:g} units', speed=1.5)",
        "T('it is empty {')",
        "plural('one face', '{count} faces', 2)",
        "plural('one face of {name}', '{count} faces of {name}', 2, name=name)",
        "ExportError(name, T('it has no mesh'), count=2)",
        "report.warn(f.name, text)",
        "translate('No action')",
    ],
)
def test_correct_messages_are_not_reported(source: str) -> None:
    assert list(mistakes(ast.parse(source))) == []


def test_translations_have_spaces_capitals_and_periods_of_the_original(german: Dictionary) -> None:
    for text, other in german.texts.items():
        if not other:
            continue
        assert len(text) - len(text.lstrip()) == len(other) - len(other.lstrip()), text
        assert text.endswith(" ") == other.endswith(" ") and text.count("\n") == other.count("\n"), text
        # Tooltips and labels start with capital letters, and have no period at the end, like Blender's.
        assert not text[0].isupper() or not other[0].islower(), text
        assert text.endswith(".") == other.endswith("."), text
        assert not re.search(r"\b(?:the|with|which|of|is)\b", re.sub(r"\{.*?\}", "", other)), other


@pytest.fixture
def known() -> Dictionary:
    """A dictionary of a few messages, whose words are not those of the extension."""
    return Dictionary(
        {
            "{count} faces of {name} are {state}": "{name}: {state} sind {count} Flächen",
            "one face is {state}": "eine Fläche ist {state}",
            "{count} faces are {state}": "{count} Flächen sind {state}",
            "red": "rot",
            "too many vertices": "zu viele Punkte",
            "{problem}: {count} (the limit is {limit})": "{problem}: {count} (die Grenze ist {limit})",
            "{names} and {count} more": "{names} und {count} weitere",
            "untranslated": "",
        }
    )


def test_labels_in_messages_are_those_of_the_translated_interface(blender: ModuleType) -> None:
    """Users search for the tool that a message names. Labels of one word may be other words of a sentence."""
    names = [f"{group}.{name}" for group in dir(bpy.ops) for name in dir(getattr(bpy.ops, group))]
    tools = [attrgetter(name)(bpy.ops).get_rna_type() for name in names if "tomb_raider" in name]
    labels = sorted({tool.name for tool in tools if " " in tool.name}, key=len, reverse=True)
    label = re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, labels)) + r")(?!\w)")
    for language in i18n.languages():
        texts = i18n.texts_of(language)
        quoted = [(text, name) for text in texts if text not in labels for name in label.findall(text)]
        assert len(quoted) > 20
        assert [
            (text, texts[text], texts[name]) for text, name in quoted if texts[name] not in texts[text]
        ] == []


def test_messages_are_translated_with_their_arguments(known: Dictionary) -> None:
    message = T("{count} faces of {name} are {state}", count=3, name="red", state=T("red"))
    assert message == "3 faces of red are red"
    assert known.translate(message) == "red: rot sind 3 Flächen"  # names of objects are not translated
    assert known.translate(T("red") + ", " + T("red")) == "rot, rot"
    few = [plural("one face is {state}", "{count} faces are {state}", n, state=T("red")) for n in (1, 2)]
    assert [known.translate(each) for each in few] == ["eine Fläche ist rot", "2 Flächen sind rot"]


def test_errors_and_reports_stay_messages(known: Dictionary) -> None:
    error = ExportError("red", T("too many vertices"), count=300, limit=255)
    assert str(error) == "red: too many vertices: 300 (the limit is 255)"
    assert known.translate(str(error)) == "red: zu viele Punkte: 300 (die Grenze ist 255)"
    report = Report()
    report.warn("Lara", T("too many vertices"))
    assert [known.translate(each) for each in report.warnings] == ["Lara: zu viele Punkte"]
    assert known.translate(first_few(["a", "b", "c"], 1)) == "a und 2 weitere"


def test_texts_without_a_translation_stay_english(known: Dictionary) -> None:
    for text in (
        "untranslated",
        T("untranslated"),
        T("{count} new words", count=2),
        "a {place} of no message",
    ):
        assert known.translate(text) == str(text)


def test_fixed_texts_are_looked_up(german: Dictionary) -> None:
    assert german.translate("Delete Room") == "Raum löschen"
    assert isinstance(T("Delete Room"), Text) and german.translate(T("Delete Room")) == "Raum löschen"


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


def test_texts_are_loaded_only_for_the_current_language(
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
        for locale in ("", "en_US", "ja_JP"):
            i18n.set_locale(locale)
    assert not registered
    for locale, expected in (
        ("de_DE", "Raum löschen"),
        ("de", "Raum löschen"),  # as in different versions of Blender
        ("fr_FR", "Supprimer la salle"),
    ):
        i18n.set_locale(locale)
        (texts,) = registered.values()
        found = texts[locale[:2]]
        assert found["Operator", "Delete Room"] == found["*", "Delete Room"] == expected
        i18n.set_locale("en_US")
        assert not registered and i18n.translate("Choose the text") == "Choose the text"


def test_the_language_is_followed_after_a_file_was_opened(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blender forgets who listens to its settings when it opens a file."""
    listening: list[object] = []
    stand_in = type("Bus", (), {})()
    stand_in.clear_by_owner = lambda owner: listening.remove(owner) if owner in listening else None
    stand_in.subscribe_rna = lambda *, owner, **_: listening.append(owner)
    app = type("App", (), {"background": False, "translations": bpy.app.translations})
    monkeypatch.setattr(i18n, "bpy", type("Bpy", (), {"app": app, "msgbus": stand_in}))
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert listening == [i18n._current.owner]
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    assert listening == [i18n._current.owner]


def test_files_of_texts_hold_all_letters(tmp_path: Path) -> None:
    texts = {'a "quoted" {name}\\n\n line': 'ein\n"Zitat" \\ {name}', "#1": "", "Ü": "ß"}
    write_texts(tmp_path / "x.po", texts, "Head\nof it")
    assert read_texts(tmp_path / "x.po") == texts
    other = {"#1": "one", "new": "neu"}
    write_texts(tmp_path / "y.po", other, "Head")
    name, packed = build.packed_translations(
        {f"{each}.po": (tmp_path / f"{each}.po").read_bytes() for each in "xy"}
    )
    assert name == "x.y.json.bz2"
    (tmp_path / name).write_bytes(packed)
    assert read_texts(tmp_path / name, "x") == {**texts, "new": ""}
    assert read_texts(tmp_path / name, "y") == {**dict.fromkeys(texts, ""), **other}


def test_texts_of_an_installed_extension_are_read(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {language: i18n.texts_of(language) for language in i18n.languages()}
    shutil.unpack_archive(build.build_zip(tmp_path), tmp_path / "installed")
    monkeypatch.setattr(i18n, "_FOLDER", tmp_path / "installed" / "ui" / "translations")
    assert i18n.languages() == list(expected) == ["de", "fr"]
    assert {language: i18n.texts_of(language) for language in expected} == expected


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
