"""Published experiments, reproduced with the library and compared with the published figures."""
