// Nothing: what any compiled file costs before a line of ours runs.
