"""Execute notebooks of this folder from their first cell to their last, and keep what they show.

python analysis/execute.py                                     # all, in place, on the small run
python analysis/execute.py 02_tribute --run runs/million       # one, on another run
python analysis/execute.py 04_bots --sets 20k --seed 2 --out runs/notebooks

README.md says what the options are to a notebook.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import nbformat
import typer
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

from guandan_sim.errors import OptionError
from guandan_sim.options import whole_number
from guandan_sim.progress import note

FOLDER = Path(__file__).parent
# What of a notebook's metadata is the same on every machine.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook(name: str) -> Path:
    """The notebook of that name, with or without folder and ending. Raises `OptionError`."""
    path = FOLDER / f"{Path(name).stem}.ipynb"
    if not path.exists():
        there = ", ".join(each.stem for each in sorted(FOLDER.glob("*.ipynb")))
        raise OptionError(f"{name!r} is no notebook of {FOLDER.name}/; there are {there}")
    return path


def execute(path: Path, to: Path, environment: dict[str, str]) -> None:
    """Execute the notebook ``path`` in this folder, and write it to ``to``.

    Raises `CellExecutionError` for an exception in a cell; nothing is written then.
    """
    content = nbformat.read(path, nbformat.NO_CONVERT)
    client = NotebookClient(
        content,
        timeout=None,
        kernel_name="python3",
        config=Config({"KernelManager": {"transport_encryption": "auto"}}),
        resources={"metadata": {"path": str(FOLDER)}},
        record_timing=False,
    )
    # Of no matter what is set up for IPython at home.
    with TemporaryDirectory() as home:
        client.execute(env=os.environ | {"IPYTHONDIR": home} | environment)
    content.metadata = nbformat.from_dict(METADATA)
    nbformat.write(content, to)


def main(
    notebooks: Annotated[list[str] | None, typer.Argument(metavar="NOTEBOOK...")] = None,
    run: Annotated[Path | None, typer.Option("--run", metavar="RUN")] = None,
    sets: Annotated[str | None, typer.Option("--sets", metavar="N")] = None,
    seed: Annotated[str | None, typer.Option("--seed", metavar="N")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FOLDER")] = None,
) -> None:
    """Execute NOTEBOOKS, by default all, in place or into another folder."""
    environment = {}
    try:
        paths = [notebook(name) for name in notebooks or sorted(map(str, FOLDER.glob("*.ipynb")))]
        if run is not None:
            environment["GUANDAN_RUN"] = str(run.absolute())
        if sets is not None:
            environment["GUANDAN_SETS"] = str(whole_number(sets, "--sets", 1))
        if seed is not None:
            environment["GUANDAN_SEED"] = str(whole_number(seed, "--seed", 0))
        to = FOLDER if out is None else out
        to.mkdir(parents=True, exist_ok=True)
        for path in paths:
            note(f"executing {path.name}")
            execute(path, to / path.name, environment)
    except CellExecutionError as error:
        note(f"error: {path.name}: {error.ename}: {error.evalue}")
        raise typer.Exit(1) from None
    except (OptionError, OSError) as error:
        note(f"error: {error}")
        raise typer.Exit(2 if isinstance(error, OptionError) else 1) from None


if __name__ == "__main__":
    typer.run(main)
