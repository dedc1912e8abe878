"""From a question to the records that answer it, and what came of them. It must not know how an index comes about."""
