"""Scripts and strings of the games (documentation, chapters 11 and 12), as data and as text."""

from typing import TYPE_CHECKING

from ...base.lazy import lazy_exports

if TYPE_CHECKING:
    from .beside import Installed, find_game_file, folders_of, not_installed
    from .files import ScriptKind, ScriptText, compile_script, script_to_readable
    from .gameflow.gameflow import read_gameflow
    from .gameflow.gameflow_text import gameflow_to_text, text_to_gameflow
    from .level_lines import Commands, has_level, with_commands
    from .level_names import LevelNames, Sky, SkyLayer, find_script, read_level_names, script_level_names
    from .numbered_names import NumberedNames, gameflow_numbers, read_numbered_names, script_numbers, unique
    from .strings.language import Language, language_to_text, read_language, text_to_language
    from .tr4.tr4_commands import CODES
    from .tr4.tr4_script import Script, read_script
    from .tr4.tr4_script_text import script_to_text, text_to_script
    from .trx.trx_catalog import CATALOG, read_catalog, read_relations
    from .trx.trx_gameflow import (
        STRINGS,
        Drop,
        Flow,
        ItemId,
        Step,
        TrxGameflow,
        find_trx_gameflow,
        read_trx_gameflow,
        write_trx_gameflow,
    )
    from .trx.updating import NEWEST, ROOM_KEY, ROOM_STEP, files_of, update_file
else:
    __getattr__ = lazy_exports(__name__)
