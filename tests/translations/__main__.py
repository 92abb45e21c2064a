"""Update of the translation files: adds new texts without a translation, and removes unused ones.

python -m tests.translations
"""

from __future__ import annotations

import io_tomb_raider
from io_tomb_raider.ui.base.text.i18n import languages, texts_of
from io_tomb_raider.ui.translations.dictionary import write_texts

from .extract import PACKAGE, all_texts

HEAD = """Texts that users see, and what they are called in this language.
{count}, {name}, ... are what is filled in; they may stand in any order.
python -m tests.translations adds what is missing."""


def main() -> None:
    io_tomb_raider.register()
    texts = all_texts()
    for language in languages():
        known = texts_of(language)
        path = PACKAGE / "ui" / "translations" / f"{language}.po"
        write_texts(path, {text: known.get(text, "") for text in sorted(texts)}, HEAD)
        missing = sum(not known.get(text) for text in texts)
        print(f"{language}: {len(texts)} texts, {missing} without a translation")
    io_tomb_raider.unregister()


if __name__ == "__main__":
    main()
