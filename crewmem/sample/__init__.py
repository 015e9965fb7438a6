"""The sample crew that `crewmem init --sample` copies into a home: data, no code."""
