"""Edits of TRX in the block after a level's last section."""
