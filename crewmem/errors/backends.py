"""Failures of models, programs and services."""

from __future__ import annotations

from crewmem.errors import BackendError, DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


class ModelMissingError(NotFoundError):
    """There is no embedding model where one was looked for."""

    hint = "Name a directory that holds model.safetensors and tokenizer.json."

    def __init__(self, path: Path | str) -> None:
        super().__init__(f"there is no all-MiniLM-L6-v2 in {path}")
        self.path = path


class ModelDamagedError(DataError):
    """A file of an embedding model is not the one that was published."""

    hint = (
        "crewmem embedder install brings a whole one; what the setting model_dir"
        " names comes first."
    )

    def __init__(self, path: Path | str, reason: str) -> None:
        super().__init__(f"{path} is no file of all-MiniLM-L6-v2: {reason}")
        self.path, self.reason = path, reason


class UnreachableError(BackendError):
    """A service does not answer, or not as long as it is asked as it is now."""

    hint = "crewmem embedder status says what is asked, and where."

    def __init__(self, service: str, reason: str) -> None:
        super().__init__(f"{service} cannot be used: {reason}")
        self.service, self.reason = service, reason


class RequestRefusedError(BackendError):
    """A service refused one request; another may be answered."""

    def __init__(self, service: str, reason: str) -> None:
        super().__init__(f"{service} refused: {reason}")
        self.service, self.reason = service, reason


class BadAnswerError(BackendError):
    """A service answered with what is no answer."""

    hint = "crewmem embedder test shows what it answers to one text."

    def __init__(self, service: str, reason: str) -> None:
        super().__init__(f"{service} gave no usable answer: {reason}")
        self.service, self.reason = service, reason


class ProgramFailedError(BackendError):
    """A program that should answer as a language model does gives no answer."""

    hint = "It is given a prompt on standard input: try it so, by hand."

    def __init__(self, program: str, reason: str) -> None:
        super().__init__(f"{program} cannot be used: {reason}")
        self.program, self.reason = program, reason


class ModelUnreachableError(BackendError):
    """The service of a language model does not answer, or refuses to."""

    hint = "crewmem config list shows the settings llm, llm_url and llm_model."

    def __init__(self, service: str, reason: str) -> None:
        super().__init__(f"{service} cannot be used: {reason}")
        self.service, self.reason = service, reason


class BadReplyError(BackendError):
    """A language model answered with what is no text, or none at all."""

    def __init__(self, program: str, reason: str) -> None:
        super().__init__(f"the answer of {program} is not used: {reason}")
        self.program, self.reason = program, reason


class NoEmbedderError(NotFoundError):
    """There is nothing that could turn texts into vectors."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(f"there is no embedder: {why}")
        self.why = why
        self.hint = hint or "crewmem embedder status shows what there is."


class BadVectorError(RefusedError):
    """A vector cannot be kept or compared: its size, its numbers or its length."""

    def __init__(self, reason: str, key: int | None = None) -> None:
        whose = "a vector" if key is None else f"the vector of {key}"
        super().__init__(f"{whose} is refused: {reason}")
        self.reason, self.key = reason, key
