"""The ``site`` commands. Nothing heavy is imported until one runs."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import click

from symledger.cli.click_groups import SETTINGS, Folder, Group
from symledger.errors import BadInput, shown

ENGINES = ("mkdocs", "zensical")
OUT = Folder(file_okay=False, path_type=Path)


@click.group(cls=Group, context_settings=SETTINGS, invoke_without_command=True,
             epilog="symledger site build --out site")
@click.pass_context
def site(context: click.Context) -> None:
    """Build, serve and verify the site of all formulas: in a checkout, of that checkout."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        return
    from symledger.site.checkout import prefer

    prefer(Path.cwd())


@site.command(epilog="symledger site build --out site")
@click.option("--out", type=OUT, default=Path("site"), show_default=True,
              help="The folder to build into.")
@click.option("--engine", type=click.Choice(ENGINES), default="mkdocs", show_default=True)
@click.option("--no-cache", is_flag=True, help="Make every page anew, whatever is remembered.")
def build(out: Path, engine: str, no_cache: bool) -> None:
    """Build the site."""
    _building().build(out, engine, cache=not no_cache)
    click.echo(out)


@site.command(epilog="symledger site serve --port 8000")
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
def serve(port: int) -> None:
    """Serve the site here, and build it anew when templates, pages or components change."""
    _building().serve(port)


@site.command(epilog="symledger site write build/docs")
@click.argument("folder", type=OUT)
def write(folder: Path) -> None:
    """Write the pages as a folder of Markdown with a mkdocs.yml, for any engine."""
    _building().write(folder)
    click.echo(folder)


@site.command(epilog="symledger site verify site")
@click.argument("folder", type=OUT)
def verify(folder: Path) -> int:
    """Compare a built site with what is expected: pages, anchors, blocks, words, files.

    Exit code 1 if anything is missing or different.
    """
    _building()
    try:
        built = (folder / "index.html").is_file()
    except OSError:  # no folder can be called so
        built = False
    if not built:
        raise BadInput(
            f"{shown(str(folder))} holds no built site: it has no index.html. Make one: "
            "symledger site build --out site"
        )
    from symledger.site.verify import problems

    found = problems(folder)
    for problem in found:
        click.echo(problem)
    if not found:
        click.echo(f"{folder}: complete")
    return 1 if found else 0


def _building() -> ModuleType:
    """Return what builds, writes and serves.

    Raises:
        BadInput: something that pages are made with is not installed.
    """
    from symledger.extras import EXTRAS, require

    require(EXTRAS["docs"], "the site cannot be made")
    from symledger.site import build

    return build
