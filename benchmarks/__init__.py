"""The benchmark, run by `python build.py bench`."""
