"""Install wheels in new environments without a compiler, and run the README's first example.

python tools/try_wheel.py WHEEL ... prints the CPU seconds of the example in a new process, including imports. All
dependencies are installed from binaries.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def example():
    """Return the README's first example as a program, and its expected output."""
    lines = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[
        1
    ].splitlines()
    code = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
    last = max(k for k, line in enumerate(lines) if line.startswith(">>> "))
    program = "\n".join([*code[:-1], f"print({code[-1]})"])
    assert lines[last][4:] == code[-1], "the example ends with an expression of one line"
    return program, "\n".join(line for line in lines[last + 1 :] if line)


def environment(folder):
    """Create a virtual environment; return its Python, and environment variables that prevent compiling."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    scripts = Path(folder, "Scripts" if os.name == "nt" else "bin")
    variables = {"CC": "false", "CXX": "false", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    # The caller's settings must not affect the new environment.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SKRANKAGG"))}
    return str(scripts / f"python{sysconfig.get_config_var('EXE') or ''}"), kept | variables


def try_wheel(wheel):
    """Install one wheel and run the example."""
    program, expected = example()
    with tempfile.TemporaryDirectory() as folder:
        python, variables = environment(folder)
        install = [python, "-m", "pip", "install", "-q", "--only-binary", ":all:", str(Path(wheel).resolve())]
        subprocess.run(install, check=True, env=variables, cwd=folder)
        measured = (
            "import os\n"
            f"exec({program!r})\n"
            "times = os.times()\n"
            "from skrankagg import _kernels\n"
            "print(round(times.user + times.system, 2), _kernels.COMPILED)"
        )
        seconds = []
        for _ in range(3):
            run = [python, "-c", measured]
            printed = subprocess.run(run, check=True, env=variables, cwd=folder, capture_output=True, text=True).stdout
            *consensus, numbers = printed.splitlines()
            assert "\n".join(consensus) == expected, f"{wheel} computes {consensus}"
            cpu, compiled = numbers.split()
            assert (compiled == "False") == ("none-any" in Path(wheel).name), f"compiled: {compiled}"
            seconds.append(float(cpu))
    kind = "compiled" if compiled == "True" else "interpreted"
    print(f"{Path(wheel).name}: {kind}, the example takes {min(seconds):.1f} s of CPU, the first time {seconds[0]:.1f}")


if __name__ == "__main__":
    for one in sys.argv[1:]:
        try_wheel(one)
