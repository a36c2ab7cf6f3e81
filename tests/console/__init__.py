"""The console, as a person meets it."""
