"""Explicit 3D MLS-MPM in Taichi on the CPU, written the way Taichi's own MPM examples are.

Quadratic B-splines, APIC, single precision, symplectic Euler, a dense grid, and the whole step in one kernel that
Taichi splits into parallel loops. It speaks the protocol of `protocol.py`:

    echo | python taichi_mls_mpm_3d.py --n 64 --material neo_hookean --threads 1
"""

import argparse
import contextlib
import math
import os
import sys

os.environ["ENABLE_TAICHI_HEADER_PRINT"] = "0"  # standard output belongs to the protocol

import numpy as np
import taichi as ti

import protocol
import scene


@ti.data_oriented
class NeoHookean:
    """tau = mu (F F^T - I) + lambda ln(J) I, with the deformation gradient F as state."""

    def __init__(self, particles):
        self.F = ti.Matrix.field(3, 3, ti.f32, shape=particles)
        self.F.from_numpy(np.tile(np.eye(3, dtype=np.float32), (particles, 1, 1)))

    @ti.func
    def stress(self, p, strain_step):
        """Deform particle p by `strain_step` = dt grad v; return its Kirchhoff stress."""
        I = ti.Matrix.identity(ti.f32, 3)
        F = (I + strain_step) @ self.F[p]
        self.F[p] = F
        return scene.MU * (F @ F.transpose() - I) + I * (scene.LAMBDA * ti.log(F.determinant()))


@ti.data_oriented
class Fluid:
    """tau = -J p I with Tait's equation p = K/7 (J^-7 - 1), with the volume ratio J as state."""

    def __init__(self, particles):
        self.J = ti.field(ti.f32, shape=particles)
        self.J.fill(1.0)

    @ti.func
    def stress(self, p, strain_step):
        """Deform particle p by `strain_step` = dt grad v; return its Kirchhoff stress."""
        J = self.J[p] * (1.0 + strain_step.trace())
        self.J[p] = J
        compression = 1.0 / J
        cubed = compression * compression * compression
        pressure = scene.BULK_MODULUS / 7.0 * (cubed * cubed * compression - 1.0)
        return ti.Matrix.identity(ti.f32, 3) * (-J * pressure)


@ti.data_oriented
class Snow:
    """Fixed corotated elasticity; singular values of F are kept in a range, and moduli grow with lost volume."""

    def __init__(self, particles):
        self.F = ti.Matrix.field(3, 3, ti.f32, shape=particles)
        self.F.from_numpy(np.tile(np.eye(3, dtype=np.float32), (particles, 1, 1)))
        self.Jp = ti.field(ti.f32, shape=particles)
        self.Jp.fill(1.0)

    @ti.func
    def stress(self, p, strain_step):
        """Deform particle p by `strain_step` = dt grad v; return its Kirchhoff stress."""
        I = ti.Matrix.identity(ti.f32, 3)
        U, sigma, V = ti.svd((I + strain_step) @ self.F[p])
        Jp, J = self.Jp[p], 1.0
        for d in ti.static(range(3)):
            kept = ti.min(ti.max(sigma[d, d], 1.0 - scene.SNOW_COMPRESSION), 1.0 + scene.SNOW_STRETCH)
            Jp *= sigma[d, d] / kept
            sigma[d, d] = kept
            J *= kept
        F = U @ sigma @ V.transpose()
        self.F[p], self.Jp[p] = F, Jp
        least, most = scene.SNOW_FACTORS
        factor = ti.max(least, ti.min(most, ti.exp(scene.SNOW_HARDENING * (1.0 - Jp))))
        rotation = U @ V.transpose()
        return factor * (2 * scene.MU * (F - rotation) @ F.transpose() + I * (scene.LAMBDA * J * (J - 1.0)))


SIN_PHI = math.sin(math.radians(scene.FRICTION_ANGLE))
FRICTION = math.sqrt(2 / 3) * 2 * SIN_PHI / (3 - SIN_PHI)


@ti.data_oriented
class Sand:
    """Drucker-Prager plasticity in the Hencky strain, with volume correction (Klar et al. 2016, Tampubolon et al. 2017)."""

    def __init__(self, particles):
        self.F = ti.Matrix.field(3, 3, ti.f32, shape=particles)
        self.F.from_numpy(np.tile(np.eye(3, dtype=np.float32), (particles, 1, 1)))
        self.gained = ti.field(ti.f32, shape=particles)

    @ti.func
    def stress(self, p, strain_step):
        """Deform particle p by `strain_step` = dt grad v; return its Kirchhoff stress."""
        I = ti.Matrix.identity(ti.f32, 3)
        U, sigma, V = ti.svd((I + strain_step) @ self.F[p])
        strain = ti.Vector.zero(ti.f32, 3)
        for d in ti.static(range(3)):
            strain[d] = ti.log(sigma[d, d]) + self.gained[p] / 3.0
        trace = strain.sum()
        deviator = strain - trace / 3.0
        size = deviator.norm() + 1e-20
        if trace >= 0.0:
            self.gained[p] = trace
            strain = ti.Vector.zero(ti.f32, 3)
        else:
            self.gained[p] = 0.0
            slip = size + (3 * scene.LAMBDA + 2 * scene.MU) / (2 * scene.MU) * trace * FRICTION
            strain -= ti.max(0.0, slip) / size * deviator
        stretch = ti.Matrix.zero(ti.f32, 3, 3)
        stress = ti.Matrix.zero(ti.f32, 3, 3)
        for d in ti.static(range(3)):
            stretch[d, d] = ti.exp(strain[d])
            stress[d, d] = 2 * scene.MU * strain[d] + scene.LAMBDA * strain.sum()
        self.F[p] = U @ stretch @ V.transpose()
        return U @ stress @ U.transpose()


MATERIALS = {"neo_hookean": NeoHookean, "fluid": Fluid, "snow": Snow, "sand": Sand}


@ti.func
def stencil(x_in_cells):
    """First node of the 3x3x3 nodes around a particle, its distance from that node, and the weights per axis."""
    base = ti.cast(x_in_cells - 0.5, ti.i32)
    f = x_in_cells - ti.cast(base, ti.f32)
    w = ti.Matrix.rows([0.5 * (1.5 - f) ** 2, 0.75 - (f - 1.0) ** 2, 0.5 * (f - 0.5) ** 2])
    return base, f, w


@ti.data_oriented
class Simulation:
    """The falling cube of one material."""

    def __init__(self, cube, material):
        self.cells, self.dx, self.dt = cube.cells, cube.dx, cube.dt
        self.volume, self.mass = cube.particle_volume, cube.particle_mass
        self.particles = len(cube.positions)
        self.material = material(self.particles)
        self.x = ti.Vector.field(3, ti.f32, shape=self.particles)
        self.v = ti.Vector.field(3, ti.f32, shape=self.particles)
        self.C = ti.Matrix.field(3, 3, ti.f32, shape=self.particles)
        self.grid_v = ti.Vector.field(3, ti.f32, shape=(self.cells,) * 3)
        self.grid_m = ti.field(ti.f32, shape=(self.cells,) * 3)
        self.x.from_numpy(cube.positions)
        self.v.fill(ti.Vector([0.0, -scene.IMPACT_SPEED, 0.0]))

    @ti.kernel
    def step(self):
        for node in ti.grouped(self.grid_m):
            self.grid_v[node] = ti.Vector.zero(ti.f32, 3)
            self.grid_m[node] = 0.0

        for p in self.x:  # particles to grid
            base, f, w = stencil(self.x[p] / self.dx)
            tau = self.material.stress(p, self.dt * self.C[p])
            affine = self.mass * self.C[p] - (4.0 * self.dt * self.volume / self.dx**2) * tau
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                offset = ti.Vector([i, j, k])
                weight = w[i, 0] * w[j, 1] * w[k, 2]
                arm = (offset - f) * self.dx
                self.grid_v[base + offset] += weight * (self.mass * self.v[p] + affine @ arm)
                self.grid_m[base + offset] += weight * self.mass

        for node in ti.grouped(self.grid_m):  # momentum to velocity, gravity, walls
            if self.grid_m[node] > 0.0:
                v = self.grid_v[node] / self.grid_m[node]
                v[1] -= self.dt * scene.GRAVITY
                for d in ti.static(range(3)):
                    if node[d] < scene.WALL_CELLS:
                        v[d] = ti.max(v[d], 0.0)
                    if node[d] > self.cells - scene.WALL_CELLS:
                        v[d] = ti.min(v[d], 0.0)
                self.grid_v[node] = v

        for p in self.x:  # grid to particles
            base, f, w = stencil(self.x[p] / self.dx)
            v = ti.Vector.zero(ti.f32, 3)
            C = ti.Matrix.zero(ti.f32, 3, 3)
            for i, j, k in ti.static(ti.ndrange(3, 3, 3)):
                offset = ti.Vector([i, j, k])
                weighted = w[i, 0] * w[j, 1] * w[k, 2] * self.grid_v[base + offset]
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
    options.add_argument("--n", type=int, default=64, help="cells along each edge of the box")
    options.add_argument("--material", choices=MATERIALS, default="neo_hookean")
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--warmup", type=int, default=20, help="steps before the race")
    options.add_argument("--steps", type=int, default=20, help="steps per line read")
    args = options.parse_args()
    if args.warmup < 1:
        options.error("--warmup must be at least 1: the first step compiles the kernel")
    with contextlib.redirect_stdout(sys.stderr):
        ti.init(arch=ti.cpu, cpu_max_num_threads=args.threads, default_fp=ti.f32, offline_cache=False)
    simulation = Simulation(scene.FallingCube(args.n), MATERIALS[args.material])
    protocol.serve(f"Taichi {'.'.join(map(str, ti.__version__))}", simulation, args.warmup, args.steps)


if __name__ == "__main__":
    main()
