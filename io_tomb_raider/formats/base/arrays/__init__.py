"""Arrays: tables of columns, ragged rows, distinct and finite values."""
