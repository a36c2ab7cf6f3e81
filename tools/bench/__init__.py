"""The benchmark of `make bench`."""
