"""The statistics of a run, a module a chapter; `guandan_sim.stats` puts them together.

A statistic is a function of `Facts`, the deals of a part, that gives rows and what is observed of
them; its docstring is its definition, and is shown with its table.
"""
