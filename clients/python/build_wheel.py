"""Builds the wheel with Python 3.11 or newer alone, without network or setuptools.

    python3 build_wheel.py [FOLDER]     # default: dist; prints the path of the wheel

The build is reproducible. `pip wheel .` builds an equivalent wheel where setuptools is available.
"""

import base64
import hashlib
import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Fixed timestamp of all files in the wheel: the earliest that a zip file can store.
TIME = (1980, 1, 1, 0, 0, 0)


def metadata(project: dict) -> str:
    """The core metadata (version 2.1) for the [project] table."""
    fields = [
        ("Metadata-Version", "2.1"),
        ("Name", project["name"]),
        ("Version", project["version"]),
        ("Summary", project["description"]),
        ("License", project["license"]["text"]),
        ("Keywords", ",".join(project["keywords"])),
        *(("Classifier", classifier) for classifier in project["classifiers"]),
        ("Requires-Python", project["requires-python"]),
        *(("Requires-Dist", dependency) for dependency in project["dependencies"]),
        *extras(project["optional-dependencies"]),
        ("Description-Content-Type", "text/markdown"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return head + "\n" + (HERE / project["readme"]).read_text("utf-8")


def extras(optional: dict) -> list:
    """The fields of the extras, such as `robot-rest[mqtt]`."""
    fields = []
    for extra, dependencies in optional.items():
        fields.append(("Provides-Extra", extra))
        fields += [("Requires-Dist", f'{dependency} ; extra == "{extra}"') for dependency in dependencies]
    return fields


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def build(folder: Path) -> Path:
    """Writes the wheel (PEP 427) and returns its path."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    name = f"{project['name'].replace('-', '_')}-{project['version']}"
    package = HERE / "src"
    sources = sorted(path for path in (package / "robot_rest").rglob("*") if path.suffix in (".py", ".typed"))
    files = {path.relative_to(package).as_posix(): path.read_bytes() for path in sources}
    about = "Wheel-Version: 1.0\nGenerator: build_wheel.py\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{name}.dist-info/METADATA"] = metadata(project).encode()
    files[f"{name}.dist-info/WHEEL"] = about.encode()
    record = f"{name}.dist-info/RECORD"
    lines = [record_line(path, content) for path, content in files.items()]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content)
    return wheel


if __name__ == "__main__":
    print(build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "dist"))
