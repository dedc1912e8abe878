"""What comes in from elsewhere and goes out: packages, imports with receipts, scopes that move. It must not know foreign formats."""
