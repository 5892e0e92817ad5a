"""Matter that flows, bends, breaks and foams: the material point method on the CPU.

>>> import thixo
>>> sim = thixo.gallery.scene("jelly-drop", preview=True).build()
>>> sim.next_frame().steps > 0
True
>>> sim.particles["position"].shape == (len(sim), sim.dimension)
True
"""

from . import errors, gallery
from ._thixo import __version__
from .errors import RunError, SceneError, SimulationError, ThixoError
from .run import Frame, Mesh, Picture, Plot, Run, Stats
from .scene import Scene
from .simulation import Audit, Particles, Report, Simulation

__all__ = [
    "Audit",
    "Frame",
    "Mesh",
    "Particles",
    "Picture",
    "Plot",
    "Report",
    "Run",
    "RunError",
    "Scene",
    "SceneError",
    "Simulation",
    "SimulationError",
    "Stats",
    "ThixoError",
    "__version__",
    "errors",
    "gallery",
]
