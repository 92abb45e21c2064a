"""Update of the translation files: adds new texts without a translation, and removes unused ones.

    python -m tests.translations [--check]

With --check, nothing is written, and the exit code is 1 if a language lacks texts: they stay English.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import io_tomb_raider
from io_tomb_raider.ui.base.text.i18n import languages, texts_of

from .extract import PACKAGE, all_texts
from .po_files import write_texts

HEAD = """Texts that users see, and what they are called in this language.
{count}, {name}, ... are what is filled in; they may stand in any order.
python -m tests.translations adds what is missing."""


def main(arguments: Sequence[str]) -> int:
    io_tomb_raider.register()
    texts = all_texts()
    lacking = 0
    for language in languages():
        known = texts_of(language)
        missing = sorted(text for text in texts if not known.get(text))
        if "--check" in arguments:
            print(*missing, sep="\n")
        else:
            path = PACKAGE / "ui" / "translations" / f"{language}.po"
            write_texts(path, {text: known.get(text, "") for text in sorted(texts)}, HEAD)
        print(f"{language}: {len(texts)} texts, {len(missing)} without a translation")
        lacking += len(missing)
    io_tomb_raider.unregister()
    return int("--check" in arguments and lacking > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
