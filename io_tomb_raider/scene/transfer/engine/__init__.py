"""The transfer engine: what moves between levels, ids, and the order of the subjects."""
