"""What a model call costs: its recorded usage by the user's own prices, or by a library of list prices."""
