"""A tab without a browser: it speaks with the server as Streamlit's page does, and keeps what that would show.

Elements are kept by their place, drawn anew by each run, and gone when a run has ended without them. A part that ticks
is asked for again and again at its interval, whether or not the last answer is there, as the page does.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property

import httpx
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileURLs, UploadedFileInfo
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect

_STREAM = "/_stcore/stream"
_TAG = re.compile(r"<style>.*?</style>|<[^>]+>", re.DOTALL)
Upload = tuple[str, str, bytes]
"""A file that a person chooses: for which uploader, its name and its content."""
_SHOWN = ("body", "label", "message", "json")


@asynccontextmanager
async def visited(url: str) -> AsyncIterator[httpx.AsyncClient]:
    """The server at an address, as all tabs know it: with the cookie that guards uploads and sockets."""
    async with httpx.AsyncClient(base_url=url, timeout=60) as site:
        (await site.get("/_stcore/health")).raise_for_status()
        yield site


def _token(site: httpx.AsyncClient) -> str:
    """What an upload and a socket must show."""
    return site.cookies["_streamlit_xsrf"]


@dataclass
class Tab:
    """One tab. `heard` gets every frame that comes; `ticked` the seconds from each asking to the end of its answer."""

    site: httpx.AsyncClient
    socket: ClientConnection
    heard: Callable[[bytes], None]
    ticked: Callable[[float], None]
    query: str = ""
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._shown: dict[tuple[int, ...], Delta] = {}
        self._drawn: set[tuple[int, ...]] = set()
        self._running: list[str] = []  # the fragments of this run; none: the whole page
        self._known: dict[str, ForwardMsg] = {}  # large elements by their hash: the server sends each once
        self._timers: dict[str, tuple[float, asyncio.Task[None]]] = {}
        self._announced: set[str] = set()
        self._asked: float | None = None  # when the tick was asked for that is being answered
        self._waiting: float | None = None  # and the first of those asked for since
        self._session = self._page = ""
        self.pages: dict[str, str] = {}
        self._urls: asyncio.Future[list[FileURLs]] = asyncio.Future()
        self._changed = asyncio.Event()
        self._runs = 0

    @classmethod
    @asynccontextmanager
    async def open(
        cls, site: httpx.AsyncClient, query: str, heard: Callable[[bytes], None], ticked: Callable[[float], None]
    ) -> AsyncIterator[Tab]:
        """A tab at an address, drawn for the first time."""
        host = site.base_url.netloc.decode()
        async with connect(
            f"ws://{host}{_STREAM}",
            origin=f"http://{host}",  # type: ignore[arg-type]
            subprotocols=["streamlit", _token(site)],  # type: ignore[list-item]
            additional_headers={"Cookie": f"_streamlit_xsrf={_token(site)}"},
            compression=None,
            max_size=None,
        ) as socket:
            tab = cls(site, socket, heard, ticked, query)
            listening = asyncio.create_task(tab._listen())
            try:
                await tab.run()
                yield tab
            finally:
                listening.cancel()
                for _interval, timer in tab._timers.values():
                    timer.cancel()
                with suppress(asyncio.CancelledError):
                    await listening

    # -- looking ---------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """What is to be read on the page, without its markup."""
        return "\n".join(_TAG.sub(" ", part) for part in self.parts())

    def parts(self) -> Iterator[str]:
        """The texts of the elements that stand on the page, in the order in which they stand."""
        for place in sorted(self._shown):
            element = self._shown[place].new_element
            kind = element.WhichOneof("type")
            said = getattr(element, kind) if kind else None
            yield from (found for name in _SHOWN if isinstance(found := getattr(said, name, None), str) and found)

    def has(self, key: str) -> bool:
        """Whether a widget stands on the page."""
        return self._find(key) is not None

    async def until(self, holds: Callable[[Tab], bool], seconds: float) -> bool:
        """Wait until something holds of the page; False if it does not within so many seconds."""
        end = time.monotonic() + seconds
        while not holds(self):
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), max(0.0, end - time.monotonic()))
            except TimeoutError:
                return holds(self)
        return True

    def _find(self, key: str) -> tuple[str, str] | None:
        """The id of a widget and its fragment."""
        for delta in self._shown.values():
            element = delta.new_element
            kind = element.WhichOneof("type")
            widget = getattr(getattr(element, kind), "id", "") if kind else ""
            if widget.endswith(f"-{key}"):
                return widget, delta.fragment_id
        return None

    # -- doing -----------------------------------------------------------------------------------------------

    async def run(self, page: str | None = None) -> None:
        """Have the whole page drawn, or another page of the navigation; done when it is."""
        if page is not None:
            self._page = self.pages[page]
        await self._ask_whole([])

    async def press(self, key: str, texts: dict[str, str] | None = None, files: tuple[Upload, ...] = ()) -> None:
        """Press a button, with what was typed and chosen in its form; done when the page has answered."""
        button = self._find(key)
        if button is None:
            raise LookupError(f"no button {key} on the page")
        states = [WidgetState(id=button[0], trigger_value=True)]
        states += [WidgetState(id=self._id(name), string_value=typed) for name, typed in (texts or {}).items()]
        chosen: dict[str, WidgetState] = {}
        for upload in files:
            key, name, data = upload
            state = chosen.setdefault(key, WidgetState(id=self._id(key)))
            state.file_uploader_state_value.uploaded_file_info.append(await self._uploaded(name, data))
        states += chosen.values()
        if button[1]:
            await self._ask(states, button[1])
        else:
            await self._ask_whole(states)

    async def _uploaded(self, name: str, data: bytes) -> UploadedFileInfo:
        """Bring a file to the server."""
        self._urls = asyncio.Future()
        asked = BackMsg()
        asked.file_urls_request.file_names.append(name)
        asked.file_urls_request.session_id = self._session
        await self.socket.send(asked.SerializeToString())
        urls = (await asyncio.wait_for(self._urls, 60))[0]
        token = {"X-Xsrftoken": _token(self.site)}
        answer = await self.site.put(urls.upload_url, files={"file": (name, data)}, headers=token)
        answer.raise_for_status()
        return UploadedFileInfo(name=name, size=len(data), file_id=urls.file_id, file_urls=urls)

    def _id(self, key: str) -> str:
        found = self._find(key)
        if found is None:
            raise LookupError(f"no widget {key} on the page")
        return found[0]

    async def _ask_whole(self, states: list[WidgetState]) -> None:
        before = self._runs
        await self._ask(states, "")
        if not await self.until(lambda tab: tab._runs > before, 120):
            self.faults.append("a page was not drawn within 120 s")

    async def _ask(self, states: list[WidgetState], fragment: str, *, tick: bool = False) -> None:
        asked = BackMsg()
        rerun = asked.rerun_script
        rerun.query_string, rerun.page_script_hash, rerun.fragment_id = self.query, self._page, fragment
        rerun.is_auto_rerun = tick
        rerun.widget_states.widgets.extend(states)
        rerun.cached_message_hashes.extend(self._known)
        rerun.context_info.url, rerun.context_info.locale = (
            str(self.site.base_url.copy_with(query=self.query.encode())),
            "en-GB",
        )
        rerun.context_info.timezone = "UTC"
        await self.socket.send(asked.SerializeToString())

    async def _tick(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            if self._asked is None:
                self._asked = time.monotonic()
            elif self._waiting is None:
                self._waiting = time.monotonic()
            await self._ask([], fragment, tick=True)

    # -- hearing ---------------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        async for frame in self.socket:
            self.heard(frame)
            message = ForwardMsg.FromString(frame)
            if message.WhichOneof("type") == "ref_hash":
                meant, message = message, ForwardMsg()
                message.CopyFrom(self._known[meant.ref_hash])
                message.metadata.CopyFrom(meant.metadata)
            elif message.metadata.cacheable:
                self._known[message.hash] = message
            self._take(message)
        self.faults.append("the server closed the connection")

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind in self._takes:
            self._takes[kind](message)

    @cached_property
    def _takes(self) -> dict[str, Callable[[ForwardMsg], None]]:
        """What is done with each kind of message; the others change nothing that is kept."""
        return {
            "new_session": lambda got: self._begin(got.new_session, list(got.metadata.run.fragment_ids)),
            "delta": lambda got: self._draw(tuple(got.metadata.delta_path), got.delta),
            "script_finished": lambda got: self._end(got.script_finished),
            "auto_rerun": lambda got: self._time(got.auto_rerun.fragment_id, got.auto_rerun.interval),
            "stop_auto_rerun": lambda got: [self._stop(one) for one in got.stop_auto_rerun.fragment_ids],
            "navigation": lambda got: self.pages.update(
                {page.url_pathname: page.page_script_hash for page in got.navigation.app_pages}
            ),
            "page_info_changed": lambda got: setattr(self, "query", got.page_info_changed.query_string),
            "file_urls_response": lambda got: self._urls.set_result(list(got.file_urls_response.file_urls)),
            "session_event": lambda got: self.faults.extend(
                [f"an exception: {got.session_event.script_compilation_exception.message}"]
                if got.session_event.HasField("script_compilation_exception")
                else []
            ),
        }

    def _begin(self, new: NewSession, fragments: list[str]) -> None:
        self._session = new.initialize.session_id
        self._running, self._drawn, self._announced = fragments, set(), set()
        if not fragments:
            self._page = new.page_script_hash

    def _draw(self, place: tuple[int, ...], delta: Delta) -> None:
        self._shown[place] = delta
        self._drawn.add(place)
        element = delta.new_element
        if element.WhichOneof("type") == "exception":
            self.faults.append(f"an exception: {element.exception.type}: {element.exception.message}")
        if element.WhichOneof("type") == "alert" and element.alert.format == Alert.ERROR:
            self.faults.append(f"an error: {element.alert.body}")

    def _time(self, fragment: str, interval: float) -> None:
        self._announced.add(fragment)
        if fragment in self._timers and self._timers[fragment][0] == interval:
            return
        self._stop(fragment)
        self._timers[fragment] = interval, asyncio.create_task(self._tick(fragment, interval))

    def _stop(self, fragment: str) -> None:
        _interval, timer = self._timers.pop(fragment, (0.0, None))
        if timer is not None:
            timer.cancel()

    def _end(self, status: int) -> None:
        if status == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return  # the run that follows draws the rest
        if status == ForwardMsg.FINISHED_WITH_COMPILE_ERROR:
            self.faults.append("the page's script could not be run")
        running = set(self._running)
        for place in self._shown.keys() - self._drawn:
            if not running or self._shown[place].fragment_id in running:
                del self._shown[place]
        if not running:
            self._runs += 1
            for fragment in self._timers.keys() - self._announced:
                self._stop(fragment)
        if self._asked is not None:
            self.ticked(time.monotonic() - self._asked)
            self._asked, self._waiting = self._waiting, None
        self._changed.set()
