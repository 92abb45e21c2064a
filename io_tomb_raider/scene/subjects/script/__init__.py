"""Objects of a level that its script places (TR4, TR5; documentation, chapter 12.1.6)."""
