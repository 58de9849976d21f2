// A program that ends at once.
