"""Generators of tables to practise on, one a module."""
