"""What goes wrong with data that only looks anonymous: small attacks on made-up tables, to watch.

Each demonstration is a pure function with a small result; `catalog` names them for the command line.
"""
