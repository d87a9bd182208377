"""Components: what each kind of part does, as steps of a program; one file a kind of part."""
