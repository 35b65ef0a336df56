"""What an anonymized table keeps (utility) and what it gives away (anonymity, linkage)."""
