"""A judge of its own for the level files: levels packed by hand from the documentation.

The sample levels of the other tests are written by the code that they test, so two fields that change places
do so in both. Nothing here is made by the extension: `words` packs plain numbers, `tr1` to `tr5` lay them
down in the order of chapter 10 of the documentation, each number beside the name that a reader must find it
by, and `levels` lists the files.
"""
