"""The command line (section 8): names, outputs and exit codes that other programs rely on.

Exit codes: 0 done, 1 the run failed or a check did not hold, 2 bad usage or unreadable input. The grammar loads
nothing heavy: help and usage errors come at once, and a command loads what it needs.
"""

from __future__ import annotations

import argparse
import errno
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module

from memory_bank.cli.grammar import parse
from memory_bank.cli.output import BAD_USAGE, FAILED, fail
from memory_bank.errors import MemoryBankError, SessionNotFoundError, SettingsError, UsageError

_log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. No traceback reaches a person."""
    parsed = parse(arguments)
    from memory_bank.configuration import faults  # noqa: PLC0415 - a usage error needs none of what follows
    from memory_bank.observability import configure  # noqa: PLC0415
    from memory_bank.settings import load_settings  # noqa: PLC0415

    with suppress(SettingsError):  # a command that needs the settings says which is wrong
        settings = load_settings()
        configure(settings.log_level or "CRITICAL", settings.log_format)
    try:
        module, _, function = parsed.command.partition(":")
        command: Callable[[argparse.Namespace], int] = getattr(import_module(f"{__name__}.{module}"), function)
        return command(parsed)
    except SettingsError as error:
        return max(fail(line, BAD_USAGE) for line in faults(error))
    except (UsageError, SessionNotFoundError) as error:
        return fail(str(error), BAD_USAGE)
    except OSError as error:
        what = "make room" if error.errno == errno.ENOSPC else "check the path"
        return fail(f"{error.filename or 'a file'}: {error.strerror or error}; {what} and try again", BAD_USAGE)
    except MemoryBankError as error:
        return fail(str(error), FAILED)
    except KeyboardInterrupt:
        return fail("interrupted; what was recorded is kept: go on with `resume`", FAILED)
    except Exception as error:  # noqa: BLE001 - the last stop before a person; the session's log has the record
        _log.debug("unexpected", exc_info=True)
        return fail(f"unexpected {type(error).__name__}: {error}; what was recorded is kept", FAILED)
