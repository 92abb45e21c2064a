"""Whatever a person does counts: what is added is adopted, and what is not written is told.

One rule, and one owner: every object, datablock and setting that lies inside a level or carries its marks is
either written, or named in a warning that says why and what to do.
"""
