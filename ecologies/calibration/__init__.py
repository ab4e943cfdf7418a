"""Whether the game behaves: what is measured on a panel, and the bands that it is held against.

`bash scripts/calibrate` measures and writes `docs/calibration.md`; `--check` ends with 1 when a point misses its band.
"""
