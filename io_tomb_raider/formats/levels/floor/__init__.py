"""Floor data (documentation, chapter 4): the words of all sectors, decoded, edited and written."""
