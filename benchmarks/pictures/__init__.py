"""Make the screenshots of the documentation, from a product that is started and furnished for them."""
