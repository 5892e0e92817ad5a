"""The falling cube: the scene every program in a race simulates.

A unit box of N^3 cells holds an elastic or liquid cube with an edge of N/2 cells. The cube starts one cell above
the floor, already moving down, and hits the floor soon after. Eight particles per cell sit in the 2x2x2 sub-cells,
each moved off the centre by a hash of its number, so that any program in any language can build the very same
particles and the results can be compared after the race. All quantities are in SI units.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

WALL_CELLS = 3  # slip walls on all six sides; nodes this near stop outward motion only
PARTICLES_PER_CELL = 8
JITTER = 0.2  # full width of the displacement from the sub-cell's centre [cells]

DENSITY = 1.0  # [kg/m^3]
YOUNG_MODULUS = 1000.0  # [Pa]
POISSON_RATIO = 0.2
GRAVITY = 9.8  # downwards, along -y [m/s^2]
IMPACT_SPEED = 2.0  # downwards at the start [m/s]
COURANT = 0.3  # fraction of a cell that a P-wave crosses in one step

MU = YOUNG_MODULUS / (2 * (1 + POISSON_RATIO))  # [Pa]
LAMBDA = YOUNG_MODULUS * POISSON_RATIO / ((1 + POISSON_RATIO) * (1 - 2 * POISSON_RATIO))  # [Pa]
BULK_MODULUS = LAMBDA + 2 * MU / 3  # [Pa]
P_WAVE_SPEED = math.sqrt((LAMBDA + 2 * MU) / DENSITY)  # [m/s]


@dataclass(frozen=True)
class FallingCube:
    """The scene on a grid of `cells` cells along each edge of the unit box."""

    cells: int

    def __post_init__(self):
        if self.cells < 16 or self.cells % 2:
            raise ValueError(f"the falling cube needs an even number of at least 16 cells, not {self.cells}")

    @property
    def dx(self):
        """Cell size [m]."""
        return 1.0 / self.cells

    @property
    def dt(self):
        """Time step [s]."""
        return COURANT * self.dx / P_WAVE_SPEED

    @property
    def particle_volume(self):
        """Rest volume of a particle [m^3]."""
        return self.dx**3 / PARTICLES_PER_CELL

    @property
    def particle_mass(self):
        """Mass of a particle [kg]."""
        return DENSITY * self.particle_volume

    @cached_property
    def positions(self):
        """Where the particles start, cell by cell with x slowest and z fastest: float32 of shape (count, 3) [m]."""
        edge = self.cells // 2
        side = (self.cells - edge) // 2
        corner = np.array([side, WALL_CELLS + 1, side])
        number = np.arange(PARTICLES_PER_CELL * edge**3, dtype=np.uint32)
        cell, sub_cell = np.divmod(number, np.uint32(PARTICLES_PER_CELL))
        cell = np.stack(np.unravel_index(cell, (edge, edge, edge)), axis=1)
        upper_half = sub_cell[:, None] >> np.array([2, 1, 0], dtype=np.uint32) & np.uint32(1)
        hashed = lowbias32(number[:, None] * np.uint32(3) + np.arange(3, dtype=np.uint32))
        jitter = (hashed >> np.uint32(16)) / 65536.0 - 0.5
        in_cells = (cell + corner + 0.25 + 0.5 * upper_half) + JITTER * jitter
        return (in_cells / self.cells).astype(np.float32)


def lowbias32(x):
    """Scramble an array of uint32 (C. Wellons' `lowbias32`)."""
    x = x ^ x >> np.uint32(16)
    x = x * np.uint32(0x7FEB352D)
    x = x ^ x >> np.uint32(15)
    x = x * np.uint32(0x846CA68B)
    return x ^ x >> np.uint32(16)
