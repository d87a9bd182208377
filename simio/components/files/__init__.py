"""Files as programs see them: page cache, read-ahead and write-behind."""
