"""Upgrades of scenes from older versions of the extension, one step per version.

The root collection of a level stores the version of its data in ``tomb_raider.data_version``.
`versions.upgrade` applies the steps from there when a file is opened, appended, saved or exported. Models may
come without their level; their actions are upgraded when a level claims them.

A step is frozen: it is correct for the data of its time and does not change with the extension. So each step
has a module and code of its own, and reads and writes stored values (`stored`) instead of today's typed
properties. It uses nothing else of the project except the library that reads levels. ``tests/old_scenes`` has
a .blend of every version.

==== ====== ===========================================================================================
from step   change
==== ====== ===========================================================================================
0    `to_1` Levels did not store which subjects were imported; now those with objects in the scene are.
            No importer wrote the version 0: it is that of data without a version.
1    `to_2` Rooms missing from the scene stayed in the file. Now they count as deleted, unless the level
            was imported without rooms.
2    `to_3` Scenes made by version 1 left state changes, and commands without a frame, to the original.
            Now actions have lists of them, which count even if they are empty.
3    `to_4` Objects had no level uid, and actions had fake users, so they outlived their level. Tints of
            placed static meshes had red and blue swapped, and zones of TR2 and TR3 had TR4's names.
4    `to_5` Actions pointed at each other in cycles. Blender up to 5.0 follows each path when it opens a
            file, which never ended. Now they are numbers in lists of their models.
5    `to_6` The collision of a room said whether the mesh was drawn from it. Now the room says which of
            the two follows the other, if any.
==== ====== ===========================================================================================
"""

from typing import TYPE_CHECKING

from ...formats.base import lazy_exports

if TYPE_CHECKING:
    from .versions import upgrade, upgrade_all
else:
    __getattr__ = lazy_exports(__name__)
