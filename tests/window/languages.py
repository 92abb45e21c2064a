"""A chapter about German and French: no English text of the extension is left on the screen."""

from __future__ import annotations

from .screen import SIZE
from .walk import HALL, LARA, Walk, chapter, expect

# Blender's name of each language, by the name of our file; and a title in it.
_LANGUAGES = {"de": "de_DE", "fr": "fr_FR"}
_ENGLISH = "en_US"


@chapter
def languages(walk: Walk) -> None:
    """Use the sidebar in German and in French, in three modes."""
    blender, screen = walk.blender, walk.screen
    try:
        for language, locale in _LANGUAGES.items():
            walk.new_file()
            walk.drop(walk.level)
            blender.wait("Lara is selected", lambda state: state["selected"] == [LARA])
            blender.ask("speak", locale=locale)
            _read(walk, language, "lara")
            blender.click_floor(HALL)
            _read(walk, language, "room")
            blender.hover_view()
            screen.key("Tab")
            blender.wait("Tab starts Edit Mode", lambda state: state["mode"] == "EDIT")
            _read(walk, language, "edit-mode")
            screen.key("Tab")
            blender.wait("Tab ends it", lambda state: state["mode"] == "OBJECT")
            blender.ask("speak", locale=_ENGLISH)
    finally:
        blender.ask("speak", locale=_ENGLISH)


def _read(walk: Walk, language: str, name: str) -> None:
    """Compare the sidebar with all English texts, and take a picture."""
    blender = walk.blender
    blender.hover_view()
    blender.shot(f"{name}-{language}")
    picture = blender.folder / "screen.rgb"
    walk.screen.picture(picture)
    width, height = SIZE
    part = blender.area("VIEW_3D", "UI")
    texts = blender.ask(
        "english", 600, picture=str(picture), width=width, height=height, part=part, language=language
    )
    expect(f"No English text is in the sidebar: {texts}", not texts)
