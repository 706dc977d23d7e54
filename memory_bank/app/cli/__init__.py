"""The command line. Other programs rely on its command names, outputs and exit codes.

Exit codes: 0 done, 1 the run or a check failed, 2 bad usage or unreadable input. The argument parser imports nothing
heavy, so that help and usage errors come at once; each command imports what it needs.
"""

from __future__ import annotations

import argparse
import errno
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from memory_bank.app.cli.grammar import parse
from memory_bank.app.cli.output import BAD_USAGE, FAILED, fail
from memory_bank.bank.errors import MemoryBankError, SessionNotFoundError, SettingsError, UsageError

_log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. No traceback reaches a person."""
    parsed = parse(arguments)
    from memory_bank.bank.settings import load_settings  # noqa: PLC0415 - not needed for a usage error
    from memory_bank.session.observability import configure  # noqa: PLC0415

    with suppress(SettingsError):  # a command that needs the settings reports the error
        settings = load_settings()
        configure(settings.log_level or "CRITICAL", settings.log_format)
    try:
        module, _, function = parsed.command.partition(":")
        command: Callable[[argparse.Namespace], int] = getattr(import_module(f"{__name__}.{module}"), function)
        return command(parsed)
    except SettingsError as error:
        from memory_bank.app.configuration import error_lines  # noqa: PLC0415

        return max(fail(line, BAD_USAGE) for line in error_lines(error))
    except (UsageError, SessionNotFoundError) as error:
        return fail(str(error), BAD_USAGE)
    except OSError as error:
        what = "make room" if error.errno == errno.ENOSPC else "check the path"
        return fail(f"{error.filename or 'a file'}: {error.strerror or error}; {what} and try again", BAD_USAGE)
    except MemoryBankError as error:
        return fail(str(error), FAILED)
    except KeyboardInterrupt:
        return fail("interrupted; what was recorded is kept: go on with `resume`", FAILED)
    except Exception as error:  # noqa: BLE001 - a person must not see a traceback; the session's log has the error
        _log.debug("unexpected", exc_info=True)
        return fail(f"unexpected {type(error).__name__}: {error}; what was recorded is kept", FAILED)
