"""What fails in the modelled world, and how drivers, hosts and volumes answer."""
