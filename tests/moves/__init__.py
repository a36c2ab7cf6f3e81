"""Teams that move from server to server, and the files they and save points are."""
