"""The parts of an installation: its processes, its folders, and a diagnosis."""
