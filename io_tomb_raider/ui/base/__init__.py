"""What all operators and panels share."""
