"""How a program takes part in a race: lines of JSON on its standard input and output.

Several programs stay alive at once and take turns, so that all of them see the same machine in the same minute.

1. Compiled and warmed up, the program prints `{"ready": true, "program": name, "particles": count}`.
2. For each line it reads it takes the agreed number of steps and prints `{"seconds": s, "cpu_seconds": s}`.
3. At the end of its input it prints `{"com_y": m, "kinetic": J, "total_steps": count}` and exits.
"""

import json
import sys
import time


def say(**message):
    """Print one line of the protocol; NaN and infinity are errors."""
    print(json.dumps(message, allow_nan=False), flush=True)


def serve(program, simulation, warmup, steps):
    """Run a race for `simulation`, which has `particles`, `advance(steps)` and `measure()` -> (com_y, kinetic)."""
    simulation.advance(warmup)
    say(ready=True, program=program, particles=simulation.particles)
    total = warmup
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        simulation.advance(steps)
        say(seconds=time.perf_counter() - wall, cpu_seconds=time.process_time() - cpu)
        total += steps
    com_y, kinetic = simulation.measure()
    say(com_y=com_y, kinetic=kinetic, total_steps=total)
