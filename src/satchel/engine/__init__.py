"""The engine: what memory does over a store, one file for each noun. It must not know which store it drives, nor any transport."""
