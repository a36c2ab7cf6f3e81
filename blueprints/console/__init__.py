"""The console: pages for a person who watches and steers this world. Imported when a page is first asked for."""
