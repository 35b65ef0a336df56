"""Files of tables, and the archives in which several of them come."""
