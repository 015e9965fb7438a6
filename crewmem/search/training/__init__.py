"""How the weights of relevance were fitted, on development data that is not part of crewmem."""
