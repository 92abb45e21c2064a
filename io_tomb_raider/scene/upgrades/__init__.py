"""Scenes that older versions of the extension made, brought up to date, one small step per version.

A level's root collection says in ``tomb_raider.data_version`` which version its data is of. From there
`versions.upgrade` takes it to today's, step by step, when a file is opened, appended, saved or exported.
Models come without their level, too: what their actions lead to is upgraded as a level takes them in.

A step is frozen: it is right for the data of its time and does not change when the extension does. So it has
a module and code of its own, and reads and writes what datablocks store (`stored`) rather than the typed
properties, which are those of today. Of the rest of the project it uses only the library that reads levels.
For every version ``tests/old_scenes`` has a .blend.

The history:

==== ====== ===========================================================================================
from step   what it does
==== ====== ===========================================================================================
0    `to_1` A level did not say which subjects had been imported with it: those of which the scene holds
            anything. No importer has ever written this number; it is that of data without one.
1    `to_2` Rooms that were missing from the scene stayed in the file. Since then they count as deleted,
            unless the level was imported without rooms.
2    `to_3` Scenes made by version 1 left state changes, and commands without a frame, to the original.
            Since then actions have lists of them, which count even where they are empty.
3    `to_4` Objects did not say which level they come from, and actions had fake users, by which they outlived
            their level. Tints of placed static meshes had red and blue exchanged, and the zones of TR2 and
            TR3 had names of TR4's.
4    `to_5` Actions pointed at the actions that they lead to, in circles, of which Blender up to 5.0 follows
            every way by itself when it opens a file. Since then they have numbers in lists of their models.
==== ====== ===========================================================================================
"""
