"""A local web page to change a scenario's values on and see at once what comes of it."""
