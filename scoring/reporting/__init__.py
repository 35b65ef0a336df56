"""Reports: documents, pictures, intervals."""
