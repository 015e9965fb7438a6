"""What is held to be true: claims with a kind, trust and a life."""
