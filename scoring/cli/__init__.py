"""The command line: the same code as the server, to run locally."""
