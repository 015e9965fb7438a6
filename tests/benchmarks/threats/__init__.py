"""What the scanner's weights are made of, and how well it does on a corpus."""
