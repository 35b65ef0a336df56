"""What an installation is made of: its processes, its folders and a look at whether they work."""
