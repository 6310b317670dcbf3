"""Reports: plots, and one HTML page for people who were not there."""
