"""Explicit 2D MLS-MPM in Taichi on the CPU with water, jelly and snow at once, written the way Taichi's own examples are.

One loop serves all materials, with a singular value decomposition for every particle, as in those examples. Otherwise as
`taichi_mls_mpm_3d.py`:

    echo | python taichi_mls_mpm_2d.py --n 256 --threads 1
"""

import argparse
import contextlib
import os
import sys

os.environ["ENABLE_TAICHI_HEADER_PRINT"] = "0"  # standard output belongs to the protocol

import numpy as np
import taichi as ti

import protocol
import scene

WATER, JELLY, SNOW = 0, 1, 2


@ti.func
def stencil(x_in_cells):
    """First node of the 3x3 nodes around a particle, its distance from that node, and the weights per axis."""
    base = ti.cast(x_in_cells - 0.5, ti.i32)
    f = x_in_cells - ti.cast(base, ti.f32)
    w = ti.Matrix.rows([0.5 * (1.5 - f) ** 2, 0.75 - (f - 1.0) ** 2, 0.5 * (f - 0.5) ** 2])
    return base, f, w


@ti.data_oriented
class Simulation:
    """The three squares."""

    def __init__(self, squares):
        self.cells, self.dx, self.dt = squares.cells, squares.dx, squares.dt
        self.volume, self.mass = squares.particle_volume, squares.particle_mass
        parts = squares.squares
        self.particles = sum(map(len, parts))
        self.x = ti.Vector.field(2, ti.f32, shape=self.particles)
        self.v = ti.Vector.field(2, ti.f32, shape=self.particles)
        self.C = ti.Matrix.field(2, 2, ti.f32, shape=self.particles)
        self.F = ti.Matrix.field(2, 2, ti.f32, shape=self.particles)
        self.Jp = ti.field(ti.f32, shape=self.particles)
        self.material = ti.field(ti.i32, shape=self.particles)
        self.grid_v = ti.Vector.field(2, ti.f32, shape=(self.cells,) * 2)
        self.grid_m = ti.field(ti.f32, shape=(self.cells,) * 2)
        self.x.from_numpy(np.concatenate(parts))
        self.v.fill(ti.Vector([0.0, -scene.IMPACT_SPEED]))
        self.F.from_numpy(np.tile(np.eye(2, dtype=np.float32), (self.particles, 1, 1)))
        self.Jp.fill(1.0)
        self.material.from_numpy(np.repeat(np.arange(3, dtype=np.int32), [len(part) for part in parts]))

    @ti.func
    def stress(self, p):
        """Deform particle p by dt grad v; return its Kirchhoff stress."""
        I = ti.Matrix.identity(ti.f32, 2)
        F = (I + self.dt * self.C[p]) @ self.F[p]
        material = self.material[p]
        U, sigma, V = ti.svd(F)
        Jp, J = self.Jp[p], 1.0
        for d in ti.static(range(2)):
            kept = sigma[d, d]
            if material == SNOW:
                kept = ti.min(ti.max(kept, 1.0 - scene.SNOW_COMPRESSION), 1.0 + scene.SNOW_STRETCH)
            Jp *= sigma[d, d] / kept
            sigma[d, d] = kept
            J *= kept
        self.Jp[p] = Jp
        least, most = scene.SNOW_FACTORS
        factor = ti.max(least, ti.min(most, ti.exp(scene.SNOW_HARDENING * (1.0 - Jp))))
        mu, modulus = factor * scene.MU, factor * scene.LAMBDA
        if material == WATER:  # forget the shape, keep the volume
            mu, modulus = 0.0, scene.BULK_MODULUS
            F = I * ti.sqrt(J)
        elif material == SNOW:
            F = U @ sigma @ V.transpose()
        self.F[p] = F
        return 2 * mu * (F - U @ V.transpose()) @ F.transpose() + I * (modulus * J * (J - 1.0))

    @ti.kernel
    def step(self):
        for node in ti.grouped(self.grid_m):
            self.grid_v[node] = ti.Vector.zero(ti.f32, 2)
            self.grid_m[node] = 0.0

        for p in self.x:  # particles to grid
            base, f, w = stencil(self.x[p] / self.dx)
            tau = self.stress(p)
            affine = self.mass * self.C[p] - (4.0 * self.dt * self.volume / self.dx**2) * tau
            for i, j in ti.static(ti.ndrange(3, 3)):
                offset = ti.Vector([i, j])
                weight = w[i, 0] * w[j, 1]
                arm = (offset - f) * self.dx
                self.grid_v[base + offset] += weight * (self.mass * self.v[p] + affine @ arm)
                self.grid_m[base + offset] += weight * self.mass

        for node in ti.grouped(self.grid_m):  # momentum to velocity, gravity, walls
            if self.grid_m[node] > 0.0:
                v = self.grid_v[node] / self.grid_m[node]
                v[1] -= self.dt * scene.GRAVITY
                for d in ti.static(range(2)):
                    if node[d] < scene.WALL_CELLS:
                        v[d] = ti.max(v[d], 0.0)
                    if node[d] > self.cells - scene.WALL_CELLS:
                        v[d] = ti.min(v[d], 0.0)
                self.grid_v[node] = v

        for p in self.x:  # grid to particles
            base, f, w = stencil(self.x[p] / self.dx)
            v = ti.Vector.zero(ti.f32, 2)
            C = ti.Matrix.zero(ti.f32, 2, 2)
            for i, j in ti.static(ti.ndrange(3, 3)):
                offset = ti.Vector([i, j])
                weighted = w[i, 0] * w[j, 1] * self.grid_v[base + offset]
                v += weighted
                C += weighted.outer_product(offset - f)
            self.v[p] = v
            self.C[p] = 4.0 / self.dx * C
            self.x[p] += self.dt * v

    def advance(self, steps):
        for _ in range(steps):
            self.step()
        ti.sync()

    def measure(self):
        """Height of the centre of mass [m] and kinetic energy [J]."""
        x, v = self.x.to_numpy(), self.v.to_numpy().astype(np.float64)
        return x[:, 1].mean(dtype=np.float64), 0.5 * self.mass * (v**2).sum()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--n", type=int, default=256, help="cells along each edge of the box")
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--warmup", type=int, default=20, help="steps before the race")
    options.add_argument("--steps", type=int, default=20, help="steps per line read")
    args = options.parse_args()
    if args.warmup < 1:
        options.error("--warmup must be at least 1: the first step compiles the kernel")
    with contextlib.redirect_stdout(sys.stderr):
        ti.init(arch=ti.cpu, cpu_max_num_threads=args.threads, default_fp=ti.f32, offline_cache=False)
    simulation = Simulation(scene.ThreeSquares(args.n))
    protocol.serve(f"Taichi {'.'.join(map(str, ti.__version__))}", simulation, args.warmup, args.steps)


if __name__ == "__main__":
    main()
