"""Tables: schemas, reading and writing, archives, checks of uploaded files, equivalence classes."""
