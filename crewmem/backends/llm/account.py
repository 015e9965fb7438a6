"""What a service of language models is asked with: a model, and maybe a key."""

from __future__ import annotations

from crewmem.backends.embed import Lack
from crewmem.backends.embed.keys import keys
from crewmem.errors.settings import ConfigUnreadableError
from crewmem.records import NamedTuple
from crewmem.settings import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.backends.embed.keys import Key
    from crewmem.backends.llm import Means


class Account(NamedTuple):
    """Where the key of a service is.

    Attributes:
        variable: The variable that holds it.
        file: The setting that names a file which holds it otherwise.
    """

    variable: str
    file: str


def key(means: Means, account: Account) -> Key | None:
    """Return the key of *account*, None if there is none; further ones are not used.

    Raises:
        ConfigUnreadableError: If the file of it cannot be read.
    """
    file = str(means.settings.value(SETTINGS[account.file]))
    return next(iter(keys(means.environ, [account.variable], file)), None)


def no_model(means: Means) -> Lack | None:
    """Return that no model is named, if none is: what is paid for is not guessed."""
    if means.settings.llm_model:
        return None
    return Lack("the setting llm_model is empty", "crewmem config set llm_model NAME")


def no_key(means: Means, account: Account, *, is_needed: bool = True) -> Lack | None:
    """Return that there is no key, if none is, or that it cannot be read."""
    try:
        found = key(means, account)
    except ConfigUnreadableError as error:
        return Lack(f"its key cannot be read: {error}", f"Set {account.variable}.")
    if found or not is_needed:
        return None
    hint = f"Set {account.variable}, or: crewmem config set {account.file} FILE"
    return Lack("there is no key", hint)


def keys_of(means: Means, account: Account) -> list[str]:
    """Return where the key of *account* comes from, if there is one to be read."""
    try:
        found = key(means, account)
    except ConfigUnreadableError:
        return []
    return [found.origin] if found else []
