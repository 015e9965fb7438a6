"""What `import` is made of: for whom, what is taken in, and how it is told."""
