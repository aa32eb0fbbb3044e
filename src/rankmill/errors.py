"""The exceptions of rankmill: each is a `RankmillError` and a built-in exception too."""


class RankmillError(Exception):
    """Base of everything rankmill raises on purpose.

    Catch it to handle any complaint of the package. Every message names the argument, the row or
    user where there is one, the value that came, and what was wanted; nothing was computed.
    """


class InputError(RankmillError, ValueError):
    """An argument has the right type but a value that cannot be used.

    NaN scores, differing shapes, foreign item ids, unknown convention values and the like. It is
    a `ValueError` too, so code that already catches that one keeps working.
    """


class InputTypeError(RankmillError, TypeError):
    """An argument is of a type or dtype that cannot be used, such as complex scores.

    It is a `TypeError` too.
    """


class MetricError(InputError):
    """A metric, its cutoff or one of its parameters is unknown, malformed or out of range.

    The message lists the known names and, where one is close, the nearest match.
    """


class UnavailableError(RankmillError, ValueError):
    """A forced instruction set that this build or this CPU does not have.

    `rankmill.build_info()` lists the usable ones. Nothing falls back silently when a choice was
    forced. It is a `ValueError` too.
    """


class OutOfMemoryError(RankmillError, MemoryError):
    """The engine could not get the memory it needs; the inputs are untouched.

    It is a `MemoryError` too.
    """


class MissingDependencyError(RankmillError, ImportError):
    """An optional package is not installed; the message says which one and how to get it.

    It is an `ImportError` too.
    """
