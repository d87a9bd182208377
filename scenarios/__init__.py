"""Ready scenarios: published cases, and what-ifs built on them."""
