"""Checks of the environment: Python, SQLite, settings, and the home directory."""

import os
import shutil
import stat
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import apsw

from crewmem import __version__
from crewmem.config import CONFIG_FILE, TUNED_FILE, list_bad_settings, write_setting
from crewmem.context import DATABASE_FILE
from crewmem.errors import SettingsError
from crewmem.health.doctor import (
    ExaminedHome,
    Finding,
    check,
    failed,
    format_examples,
    passed,
    repairs,
    skipped,
    warned,
)
from crewmem.storage.filesystem import PRIVATE_DIRECTORY, PRIVATE_FILE, replace_file
from crewmem.storage.installer import format_install_command
from crewmem.storage.sqlite import HOME_SCHEMA, find_network_filesystem
from crewmem.text.wording import count

MIN_PYTHON = (3, 11)

MIN_FREE, LOW_FREE = 50_000_000, 500_000_000
"""Free bytes below which a write may fail, and below which doctor warns."""

NETWORK_MODES = ("delete", "truncate", "persist")
"""Journal modes that are safe on a network file system."""


def find_missing_features(python: Sequence[int], options: Collection[str]) -> list[str]:
    """Return the required features that this Python and SQLite lack."""
    missing = []
    if tuple(python[:2]) < MIN_PYTHON:
        missing.append(f"Python {'.'.join(map(str, MIN_PYTHON))}")
    if "ENABLE_FTS5" not in options:
        missing.append("SQLite with FTS5")
    if "OMIT_WAL" in options:
        missing.append("SQLite with WAL")
    if "OMIT_JSON" in options:
        missing.append("SQLite with JSON")
    return missing


@check("runtime.features")
def check_features(subject: ExaminedHome) -> Finding:
    """Find an unsupported Python, or an SQLite that lacks a required feature."""
    missing = find_missing_features(tuple(sys.version_info[:2]), apsw.compile_options)
    python = ".".join(map(str, sys.version_info[:3]))
    versions = f"crewmem {__version__}, Python {python}, SQLite {apsw.sqlite_lib_version()}"
    if missing:
        return failed(
            f"{versions}: {', '.join(missing)} is missing",
            fix=format_install_command("--upgrade", "crewmem"),
        )
    return passed(versions)


@check("config.settings")
def check_settings(subject: ExaminedHome) -> Finding:
    """Find settings that cannot be read."""
    error, context = subject.settings_error, subject.context
    if error is None:
        is_open = subject.error is None and context.has_db
        store = context.db.value("select store_id from shared_store") if is_open else None
        if store and not context.settings["store"]:
            return warned(
                f"this home is a mirror of the shared store {store}, but the setting store is"
                " missing: what is written here reaches no other host",
                expected="store = the address of the shared store, before anything is written",
                by_hand=True,
            )
        return passed("the settings are readable")
    is_variable = error.hint.startswith("unset ")
    return failed(
        error.message,
        expected=f"settings as printed by: {subject.command('config list')}",
        fix=error.hint if is_variable else "",
        where="" if is_variable else str(subject.path / CONFIG_FILE),
        by_hand=is_variable,
    )


@repairs(check_settings, must_be_named=True)
def repair_settings(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Remove bad settings; rename a file that cannot be parsed. What was there is kept."""
    if subject.settings_error is None:
        return []
    done = []
    for path in (subject.path / TUNED_FILE, subject.path / CONFIG_FILE):
        kept = path.with_name(f"{path.name}.unreadable")
        number = 1
        while kept.exists():
            number += 1
            kept = path.with_name(f"{path.name}.unreadable-{number}")
        try:
            bad = list_bad_settings(path)
            if bad and not dry_run:
                replace_file(kept, path.read_bytes())
                for name in bad:
                    write_setting(path, name, None)
        except SettingsError:
            done.append(f"renamed {path} to {kept.name}: defaults apply until it is corrected")
            if not dry_run:
                path.rename(kept)
        else:
            if bad:
                done.append(f"removed {', '.join(bad)} from {path}; kept it as {kept.name}")
    if done and not dry_run:
        subject.settings_error = None
    return done


@check("home.present")
def check_home(subject: ExaminedHome) -> Finding:
    """Find that there is no home, or that something else has its name."""
    if subject.is_tree:
        return skipped(f"{subject.path} was named with --path")
    path = subject.path
    if path.exists() and not path.is_dir():
        return failed(f"{path} is not a directory", expected="a home", where=str(path))
    database = path / DATABASE_FILE
    if not database.is_file():
        return failed(f"there is no home at {path}", expected="a home", fix=subject.command("init"))
    with database.open("rb") as file:
        header = file.read(72)
    application_ids = {HOME_SCHEMA.application_id.to_bytes(4, "big"), bytes(4)}
    is_sqlite = header.startswith(b"SQLite format 3\0")
    if header and not (is_sqlite and header[68:72] in application_ids):
        return failed(
            f"{database} is not a crewmem database", expected="a home", where=str(database)
        )
    return passed(f"the home is {path}", where=str(path))


@check("home.permissions")
def check_permissions(subject: ExaminedHome) -> Finding:
    """Find directories and files that other users can access."""
    if subject.is_tree or not subject.path.is_dir():
        return skipped("there is no home to check")
    if subject.path.stat().st_uid != os.geteuid():
        return skipped("the home belongs to another user")
    paths = ["the home" if path == "." else path for path, _ in find_accessible(subject.path)]
    if not paths:
        return passed("directories are 0700 and files 0600")
    is_operator = subject.context.access.is_operator
    shown = format_examples(paths) if is_operator else count(len(paths), "path")
    return warned(
        f"other users can access {shown}",
        expected="directories 0700, files 0600",
        where=str(subject.path),
    )


def find_accessible(home: Path) -> Iterator[tuple[str, int]]:
    """Yield the paths below *home* that other users can access, with the mode they should have."""
    if stat.S_IMODE(home.stat().st_mode) & 0o077:
        yield ".", PRIVATE_DIRECTORY
    prefix = f"{home}/"
    pending = [str(home)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_symlink():
                    continue
                is_directory = entry.is_dir(follow_symlinks=False)
                if is_directory:
                    pending.append(entry.path)
                if stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode) & 0o077:
                    path = entry.path.removeprefix(prefix)
                    yield path, PRIVATE_DIRECTORY if is_directory else PRIVATE_FILE


@repairs(check_permissions)
def restrict_permissions(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Remove the permissions of other users."""
    paths = list(find_accessible(subject.path))
    for path, mode in paths:
        if not dry_run:
            (subject.path / path).chmod(mode)
    return [f"made {count(len(paths), 'path')} private"] if paths else []


@check("home.space")
def check_space(subject: ExaminedHome) -> Finding:
    """Find a full or nearly full disk."""
    path = subject.path
    while not path.exists():
        path = path.parent
    free = shutil.disk_usage(path).free
    if free >= LOW_FREE:
        return passed(f"more than {LOW_FREE / 1e6:,.0f} MB are free")
    observed = f"{free / 1e6:,.0f} MB are free"
    report = failed if free < MIN_FREE else warned
    fix = "" if subject.is_tree else subject.command("memory prune")
    return report(observed, expected=f"{LOW_FREE / 1e6:,.0f} MB or more", fix=fix, where=str(path))


@check("home.network")
def check_network(subject: ExaminedHome) -> Finding:
    """Find a home on a network file system, where a write-ahead log is unsafe."""
    kind = find_network_filesystem(subject.path)
    if not kind:
        return passed("the home is on a local file system")
    mode = _read_journal_mode(subject.path / DATABASE_FILE)
    if subject.is_tree or mode in NETWORK_MODES:
        return warned(
            f"{subject.path} is on {kind}: its database uses a rollback journal, which is slower",
            expected="a home on a local disk",
            fix=subject.command("export", "--out", str(Path.home() / "crewmem-home.tar.gz")),
            where=str(subject.path),
        )
    return failed(
        f"{subject.path} is on {kind}, and its database uses a write-ahead log, which is unsafe",
        expected="a rollback journal, or a home on a local disk",
        where=str(subject.path),
    )


def _read_journal_mode(path: Path) -> str:
    """Return the journal mode of a database, ``wal`` or ``delete``, without opening it."""
    try:
        with path.open("rb") as file:
            return "wal" if file.read(20)[18:20] == b"\x02\x02" else "delete"
    except OSError:
        return "delete"


@repairs(check_network)
def use_rollback_journal(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Switch the databases of a home on a network file system to a rollback journal."""
    done = []
    for path in [*sorted(subject.path.glob("*.sqlite")), subject.path / DATABASE_FILE]:
        if path.is_file() and _read_journal_mode(path) == "wal":
            done.append(f"switched {path.name} to a rollback journal")
            if not dry_run:
                subject.home.close()
                connection = apsw.Connection(str(path))
                connection.execute("pragma journal_mode = delete")
                connection.close()
    return done
