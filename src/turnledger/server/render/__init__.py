"""From rows and reports to answers: the only place where both are known."""
