"""Other languages: a file of texts for each, and what translates messages."""
