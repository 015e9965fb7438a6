"""Real shells that complete a command line, as they do when somebody types TAB."""

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
from contextlib import contextmanager

PATIENCE = 20
"""Seconds until a shell that says nothing more is taken to hang."""

BASH = """
PS1= PS2=
source {script}
bind 'set enable-bracketed-paste off'
bind 'set bell-style none'
bind '"\\C-xi": insert-completions'
answer() {{
    printf '<<%s>>\\n' "$READLINE_LINE"
    READLINE_LINE= READLINE_POINT=0
}}
bind -x '"\\C-xs": answer'
echo '<<ready>>'
"""
"""What makes bash put all completions into the line, and print it, by two keys."""

ZSH = """
PROMPT= RPROMPT=
fpath=({folder} $fpath)
autoload -Uz compinit && compinit -u -D
setopt no_list_beep no_beep no_auto_remove_slash no_auto_list
zstyle ':completion:all-matches::::' completer _all_matches _complete
zstyle ':completion:all-matches:*' insert yes
zle -C all-matches complete-word _generic
bindkey '^Xi' all-matches
answer() {{
    print -r -- "<<$BUFFER>>"
    BUFFER=
}}
zle -N answer
bindkey '^Xs' answer
print -r -- '<<ready>>'
"""
"""The same for zsh."""


class Terminal:
    """A shell at a terminal."""

    def __init__(self, argv, environ, folder):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 9999, 0, 0))
        self.shell = subprocess.Popen(
            argv,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environ,
            cwd=folder,
            start_new_session=True,
        )
        os.close(slave)
        self.said = ""

    def type(self, keys):
        os.write(self.master, keys.encode())

    def until(self, pattern):
        """Return the match of *pattern* in what the shell says next."""
        while not (match := re.search(pattern, self.said, re.DOTALL)):
            ready, _, _ = select.select([self.master], [], [], PATIENCE)
            assert ready, f"the shell hangs: {self.said!r}"
            self.said += os.read(self.master, 65536).decode(errors="replace")
        self.said = self.said[match.end() :]
        return match

    def close(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.master)


@contextmanager
def completing(terminal):
    """Yield a function that returns what the shell makes of a line, in words."""

    def complete(line):
        terminal.type(f"{line}\x18i\x18s")
        return terminal.until("<<(.*?)>>")[1].split(" ")[line.count(" ") :]

    try:
        terminal.until("<<ready>>")
        yield complete
    finally:
        terminal.close()


@contextmanager
def bash(script, folder, environ):
    """Yield a function that returns what bash makes of a line, in words."""
    start = folder / "bashrc"
    start.write_text(BASH.format(script=script))
    terminal = Terminal(
        ["bash", "--noprofile", "--rcfile", start, "-i"], environ, folder
    )
    with completing(terminal) as complete:
        yield complete


@contextmanager
def zsh(script, folder, environ):
    """Yield a function that returns what zsh makes of a line, in words."""
    (folder / ".zshrc").write_text(ZSH.format(folder=script.parent))
    environ = {**environ, "ZDOTDIR": str(folder)}
    terminal = Terminal(["zsh", "-d", "-i"], environ, folder)
    with completing(terminal) as complete:
        yield complete


@contextmanager
def fish(script, folder, environ):
    """Yield a function that returns what fish offers for a line."""

    def complete(line):
        code = "source $argv[1]; complete -C $argv[2]"
        argv = ["fish", "--no-config", "-c", code, script, line]
        done = subprocess.run(
            argv,
            env=environ,
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        assert not done.stderr
        return [each.partition("\t")[0] for each in done.stdout.splitlines()]

    yield complete


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
MISSING = {shell for shell in SHELLS if not shutil.which(shell)}
