"""What organizers decide about submissions, and appeals."""
