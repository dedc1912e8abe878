"""One module per foreign format; each turns files into items. The catalogue names them; none knows the store or another format."""
