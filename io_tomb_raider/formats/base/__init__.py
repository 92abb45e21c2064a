"""What all formats share: bounded reading, the language of layouts, records, and moving bytes about."""
