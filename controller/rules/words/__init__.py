"""Everything the rules say in words: reasons, results, the sign, the rules card. All from one `Ruleset`."""
