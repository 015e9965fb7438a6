"""The mathematics of finding: queries, scores, fusion, snippets. Pure."""
