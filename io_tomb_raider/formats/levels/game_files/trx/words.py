"""Names of objects in files of TRX, and their former spellings.

Since 1.11 catalogs, game flows and strings name an object alike: in lower case, without ``O_``.
"""

from __future__ import annotations

import re

# Pairs of a former name in catalogs and that of 1.11. The last three lines were renamed from 1.3 to 1.6.
_CATALOG = """
pistol_item pistols_item pistol_option pistols_option pistol_ammo_item pistols_ammo_item
pistol_ammo_option pistols_ammo_option magnum_item magnums_item magnum_option magnums_option
magnum_ammo_item magnums_ammo_item magnum_ammo_option magnums_ammo_option uzi_item uzis_item
uzi_option uzis_option uzi_ammo_item uzis_ammo_item uzi_ammo_option uzis_ammo_option
harpoon_item harpoon_gun_item harpoon_option harpoon_gun_option harpoon_ammo_item harpoon_gun_ammo_item
harpoon_ammo_option harpoon_gun_ammo_option leadbar_item lead_bar_item leadbar_option lead_bar_option
flarebox_item flares_box_item flarebox_option flares_box_option dino_warrior dino_mutant fish fish_mutant
detail_option graphics_option control_option controls_option globe_select_option globe_option
pirahnas piranhas pirahna_gfx piranha_gfx skatekid skate_kid
door_type_1 door_1 door_type_2 door_2 door_type_3 door_3 door_type_4 door_4
door_type_5 door_5 door_type_6 door_6 door_type_7 door_7 door_type_8 door_8
trapdoor_type_1 trapdoor_1 trapdoor_type_2 trapdoor_2 trapdoor_type_3 trapdoor_3
smash_object_1 smashable_1 smash_object_2 smashable_2 smash_object_3 smashable_3 smash_object_4 smashable_4
window_1 smashable_1 window_2 smashable_2 blood_1 blood
warrior_1 atlantean_winged warrior_2 atlantean_shooter warrior_3 atlantean_ground
missile_1 natla_gun missile_2 missile_atlantean_shard missile_3 missile_atlantean_bomb
"""
# Two of catalogs whose former names other objects have since: of TR2's speedboat and TR4's waterfalls.
_REUSED = {"motor_boat": "moored_boat", "waterfall": "waterfall_mist"}
# Words of game flows and strings that were no names of catalogs, by what follows them now.
_WITH = {
    "_item": "autos autos_ammo binoculars crossbow crowbar desert_eagle desert_eagle_ammo flare flares_box "
    "harpoon_gun harpoon_gun_ammo large_medipack lasersight lead_bar m16 m16_ammo magnums magnums_ammo mp5 "
    "mp5_ammo pistols pistols_ammo revolver revolver_ammo save_crystal shotgun shotgun_ammo small_medipack "
    "uzis uzis_ammo",
    "_option": "compass controls gamma globe graphics passport pda photo sound stopwatch",
    "_gun": "lara_grenade lara_harpoon lara_rocket",
    "_empty": "waterskin_1 waterskin_2",
}
_OTHERS = """
crossbow_ammo crossbow_ammo_1_item crystal save_crystal_option grenade_launcher grenade_gun_item
grenade_launcher_ammo grenade_ammo_item rocket_launcher rocket_gun_item
rocket_launcher_ammo rocket_ammo_item scion scion_item_1 snake cobra pirahnas piranhas
detonator_1 gong detonator_2 detonator_box
"""
_NUMBERED = re.compile(r"(examine|key|pickup|puzzle|quest)(_\d+(?:_combo_\d)?)")


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_OBJECTS = _pairs(_CATALOG)
_WORDS = {
    **_pairs(_OTHERS),
    **{word: word + end for end, words in _WITH.items() for word in words.split()},
}


def catalog_name(name: str) -> str:
    """Return the name of 1.11 for a name of a catalog in any spelling."""
    word = name.lower().replace("-", "_")
    if not word.startswith("o_"):
        return word
    return _REUSED.get(word[2:]) or _OBJECTS.get(word[2:], word[2:])


def object_word(word: str, engine: int = 0) -> str:
    """Return the name of 1.11 for a word of a game flow or of strings; others as they are.

    Args:
        engine: the number of the game if known: some former names are those of other games' objects now.
    """
    name = word.lower().replace("-", "_")
    if name.startswith("o_"):
        return catalog_name(name)
    if engine in (1, 2, 3) and name == "waterfall":
        return _REUSED[name]
    if engine == 1 and name == "boat":
        return "moored_boat"
    numbered = _NUMBERED.fullmatch(name)
    if numbered is not None:
        return f"{numbered[1]}_item{numbered[2]}"
    return _WORDS.get(name, word)
