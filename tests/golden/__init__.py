"""Independent reference files: levels packed by hand from the documentation.

The sample levels of the other tests are written by the code that they test, so a swap of two fields would not
show. Nothing here is made by the extension: `words` packs plain numbers, `tr1` to `tr5` list them in the
order of chapter 10 of the documentation, each number next to its name in a reader, and `levels` lists the
files.
"""
