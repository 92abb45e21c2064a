"""Changes between animations: state changes, next animations, chains."""
