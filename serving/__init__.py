"""The HTTP server: waitress, the threads that answer, and the terminal's access log."""
