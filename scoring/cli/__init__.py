"""The command line: the same code as the server, for everybody to run at home."""
