"""Decisions of organizers about submissions, and appeals."""
