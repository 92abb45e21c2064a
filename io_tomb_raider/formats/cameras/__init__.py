"""What cameras do as the game flies them (documentation, chapter 9.6)."""
