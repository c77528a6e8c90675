"""What commands do that is more than asking the store: importing transcripts, the demo."""
