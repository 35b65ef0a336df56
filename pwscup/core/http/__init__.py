"""HTTP requests and responses of all apps."""
