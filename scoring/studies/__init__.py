"""Published experiments, run again with the library and put beside the published figures."""
