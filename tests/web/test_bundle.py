"""Bundling modules into one script."""

import subprocess
from pathlib import Path

import pytest

from pwtourney.web.bundle import BundleError, bundle
from tests.needs import need_program


def write(folder: Path, **modules: str) -> Path:
    """Write modules by their names; return the one named `main`."""
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "main.js"


def run(script: str) -> str:
    """Return what a script prints under node."""
    need_program("node")
    done = subprocess.run(
        ["node", "-"], input=script, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_every_kind_of_import_and_export_works(tmp_path: Path) -> None:
    """The script prints what the modules would; each of them runs once, in order."""
    main = write(
        tmp_path,
        main="""\
// comments may say: import { x } from "./nowhere.js";
/**
 * So may longer ones, and export default too.
 */
import "./effect.js";
import { add, one as first } from "./numbers.js";
import {
  Point,
  later,
} from "./more.js";
import * as Numbers from "./numbers.js";

const { two } = Numbers; // a comment after code stays
console.log(add(first, two), new Point(3).x, Numbers.add(two, two), "a  b // c");
later().then((value) => console.log(value));
""",
        effect='console.log("effect");\n',
        numbers="""\
console.log("numbers");
const sum = (a, b) => a + b;
export const one = 1;
export const two = 2;
export { sum as add };
""",
        more="""\
import { one } from "./numbers.js";
export class Point {
  constructor(x) {
    this.x = x;
  }
}
export async function later() {
  return one;
}
""",
    )
    script = bundle(main)
    assert run(script) == "effect\nnumbers\n3 3 4 a  b // c\n1\n"
    assert "comments may say" not in script
    assert "So may longer ones" not in script


@pytest.mark.slow
def test_names_in_different_modules_do_not_collide(tmp_path: Path) -> None:
    """Two modules may use the same name, which may also be a global one."""
    main = write(
        tmp_path,
        main='import { a as b } from "./b.js";\nconst a = "a";\nconsole.log(a, b);\n',
        b='export const a = "b";\n',
    )
    assert run(bundle(main)) == "a b\n"


@pytest.mark.parametrize(
    "line",
    [
        "export default 1;",
        "export let a = 1;",
        'export * from "./main.js";',
        'import name from "./b.js";',
        'const b = await import("./b.js");',
        "const { url } = import.meta;",
        'import { a } from "./nowhere.js";',
        'console.log("</script>");',
        'console.log("<!-- ");',
    ],
)
def test_unsupported_syntax_is_refused(tmp_path: Path, line: str) -> None:
    """A module that would silently change its meaning in the script is an error."""
    main = write(tmp_path, main=f"{line}\n", b="export const b = 1;\n")
    with pytest.raises(BundleError):
        bundle(main)


def test_import_cycle_is_refused(tmp_path: Path) -> None:
    """The error names the modules in the order of their imports."""
    main = write(
        tmp_path,
        main='import "./a.js";\n',
        a='import "./b.js";\n',
        b='import "./a.js";\n',
    )
    with pytest.raises(BundleError, match=r"a\.js → b\.js → a\.js"):
        bundle(main)
