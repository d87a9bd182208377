"""Components: the behaviour of each kind of part, as steps of a program; one file for each kind."""
