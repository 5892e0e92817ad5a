"""The falling cube and the three squares: the scenes that programs in a race simulate.

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

SNOW_COMPRESSION, SNOW_STRETCH = 2.5e-2, 4.5e-3  # singular values of F stay between 1 - and 1 + these
SNOW_HARDENING = 10.0
SNOW_FACTORS = 0.1, 5.0  # least and most that hardening does to the moduli
FRICTION_ANGLE = 35.0  # of sand, matched in triaxial compression [degrees]
P_WAVE_SPEED = math.sqrt((LAMBDA + 2 * MU) / DENSITY)  # [m/s]


@dataclass(frozen=True)
class Box:
    """A unit box of `cells` cells along each edge."""

    cells: int

    def __post_init__(self):
        if self.cells < 16 or self.cells % 2:
            raise ValueError(f"the box needs an even number of at least 16 cells, not {self.cells}")

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
        """Rest volume of a particle [m^3], or of a metre of it in 2D."""
        return (0.5 * self.dx) ** self.dimension

    @property
    def particle_mass(self):
        """Mass of a particle [kg]."""
        return DENSITY * self.particle_volume

    def fill(self, corner, extent, first):
        """Particles in all sub-cells of a box of cells, the last axis fastest: float32 of shape (count, D) [m]."""
        dimension = len(corner)
        per_cell = 2**dimension
        number = np.arange(first, first + per_cell * math.prod(extent), dtype=np.uint32)
        cell, sub_cell = np.divmod(number - np.uint32(first), np.uint32(per_cell))
        cell = np.stack(np.unravel_index(cell, extent), axis=1)
        shifts = np.arange(dimension - 1, -1, -1, dtype=np.uint32)
        upper_half = sub_cell[:, None] >> shifts & np.uint32(1)
        hashed = lowbias32(number[:, None] * np.uint32(dimension) + np.arange(dimension, dtype=np.uint32))
        jitter = (hashed >> np.uint32(16)) / 65536.0 - 0.5
        in_cells = (cell + np.array(corner) + 0.25 + 0.5 * upper_half) + JITTER * jitter
        return (in_cells / self.cells).astype(np.float32)


class FallingCube(Box):
    """A cube of one material in 3D."""

    dimension = 3

    @cached_property
    def positions(self):
        """Where the particles start [m]."""
        edge = self.cells // 2
        side = (self.cells - edge) // 2
        return self.fill((side, WALL_CELLS + 1, side), (edge,) * 3, 0)


class ThreeSquares(Box):
    """Water, jelly and snow side by side in 2D, each 3/10 of the box wide and high."""

    dimension = 2

    @cached_property
    def squares(self):
        """Where the particles of each material start [m]."""
        edge = 3 * self.cells // 10
        left = (self.cells - 3 * edge) // 2
        count = 4 * edge**2
        return [self.fill((left + k * edge, WALL_CELLS + 1), (edge,) * 2, k * count) for k in range(3)]


def lowbias32(x):
    """Scramble an array of uint32 (C. Wellons' `lowbias32`)."""
    x = x ^ x >> np.uint32(16)
    x = x * np.uint32(0x7FEB352D)
    x = x ^ x >> np.uint32(15)
    x = x * np.uint32(0x846CA68B)
    return x ^ x >> np.uint32(16)
