"""A click program with one command: the least that a command line on click takes."""

import click


@click.group()
@click.version_option("1.0", prog_name="click_one")
def main() -> None:
    """Greet."""


@main.command()
@click.argument("name")
@click.option("--loudly", is_flag=True, help="In capitals.")
def greet(name: str, loudly: bool) -> None:
    """Greet somebody."""
    text = f"Hello, {name}!"
    click.echo(text.upper() if loudly else text)


if __name__ == "__main__":
    main(prog_name="click_one")
