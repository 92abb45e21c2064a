"""The games' own files: codecs, and decoded views of them."""
