"""What could have been reached on a problem: solved and played yardsticks, stored beside the panel.

`python -m ecologies.yardsticks` computes them; `store` reads what is shipped.
"""
