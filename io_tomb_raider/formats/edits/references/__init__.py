"""References between the records of a level: their declaration, and all edits that follow from it."""
