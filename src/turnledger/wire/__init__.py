"""What becomes bytes and how: values, details, commitments, and the files that carry turns.  Pure."""
