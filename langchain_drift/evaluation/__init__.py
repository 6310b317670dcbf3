"""Labelled data in, published numbers out."""
