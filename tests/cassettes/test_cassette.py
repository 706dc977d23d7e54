"""Recording a session and replaying it through the real client, with a scripted model behind a real server."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memory_bank.bank.errors import RunStoppedError
from scripts.record_models import record
from tests import competent_model
from tests.cassettes.cassette import Cassette, Exchange, Head, MissingError, key_of
from tests.cassettes.networks import Kept
from tests.cassettes.playing import Case, play_case, settings_for
from tests.cassettes.server import replaying
from tests.scripted_model import ScriptedModel

HEAD = Head("mill-1", "a scripted model", "2026-01-05", "abc1234", "python -m scripts.record_models mill.json")
CASE: dict[str, Any] = {
    "id": "mill",
    "language": "en",
    "documents": [
        {"name": "guide.txt", "text": "Beacon Mill stands in Kent. Beacon Mill was last worked in 1955."},
        {"name": "survey.txt", "text": "Beacon Mill was last worked in 1921. It is a smock mill."},
    ],
    "sources": [{"name": "register.txt", "text": "Register of mills. Beacon Mill was last worked in 1921."}],
    "contradictions": [],
    "questions": [
        {"question": "When was Beacon Mill last worked?", "kind": "fact", "answer": "1921"},
        {"question": "Where is it?", "kind": "fact", "answer": "Kent", "follow_ups": ["When was it last worked?"]},
    ],
}


@contextmanager
def model_server(reply: Callable[[dict[str, Any]], Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that a model answers on, and the requests that it got, each with its headers."""
    model, got = ScriptedModel(reply), list[dict[str, Any]]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got.append({**json.loads(body), "headers": dict(self.headers)})
            answer = model.handle_request(httpx2.Request("POST", "http://model/v1/chat/completions", content=body))
            content = answer.read()
            self.send_response(answer.status_code)
            self.send_header("content-type", answer.headers["content-type"])
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_arguments: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", got
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def case(tmp_path: Path) -> Case:
    file = tmp_path / "mill.json"
    file.write_text(json.dumps(CASE))
    return Case(file, 1)


@pytest.mark.parametrize("number", [1, 2], ids=["one session", "with a follow-up that remembers"])
def test_what_was_recorded_is_replayed_word_for_word(case: Case, tmp_path: Path, number: int) -> None:
    case, out = replace(case, number=number), tmp_path / "mill.jsonl.gz"
    with model_server(competent_model.reply) as (address, got):
        record(case, address, out, HEAD)
    assert got
    cassette = Cassette.read(out)
    assert cassette.head == HEAD
    with replaying(cassette) as address:
        sessions = play_case(case, settings_for(address), tmp_path / "replayed", Kept(cassette.networks)).sessions
    assert len(cassette.used()) == len(cassette.exchanges) <= sum(session.bank.usage.calls for session in sessions)
    assert sessions[-1].answer
    assert "Mill" in sessions[-1].answer.affirmed


def test_the_same_session_is_the_same_bytes(case: Case, tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"]
    for file in files:
        with model_server(competent_model.reply) as (address, _got):
            record(case, address, file, HEAD)
    first, second = (sorted(exchange.key for exchange in Cassette.read(file).exchanges) for file in files)
    assert first == second
    copy = tmp_path / "c.jsonl.gz"
    Cassette.read(files[0]).write(copy)
    assert copy.read_bytes() == files[0].read_bytes()


def test_a_prompt_that_changed_fails_with_the_agent_and_the_command(case: Case, tmp_path: Path) -> None:
    out = tmp_path / "mill.jsonl.gz"
    with model_server(competent_model.reply) as (address, _got):
        record(case, address, out, HEAD)
    cassette = Cassette.read(out)
    number = next(i for i, each in enumerate(cassette.exchanges) if "analysis" in json.dumps(each.request))
    changed = cassette.exchanges[number].request | {"response_format": {"json_schema": {"name": "analysis"}}}
    cassette.exchanges[number] = replace(cassette.exchanges[number], request=changed)
    with pytest.raises(MissingError, match="analysis") as caught, replaying(cassette) as address:
        play_case(case, settings_for(address), tmp_path / "replayed", Kept(cassette.networks))
    told = f"mill-1, recorded on {HEAD.date}: the prompt has changed of analysis; record anew with: {HEAD.command}"
    assert str(caught.value) == told


def test_a_replay_needs_no_network(case: Case, tmp_path: Path) -> None:
    """On another processor other numbers would come out; what is kept stands for them."""
    out = tmp_path / "mill.jsonl.gz"
    with model_server(competent_model.reply) as (address, _got):
        record(case, address, out, HEAD)
    cassette = Cassette.read(out)
    kept = Kept(cassette.networks)
    with replaying(cassette) as address:
        play_case(case, settings_for(address), tmp_path / "replayed", kept)
    assert kept == cassette.networks
    assert kept.only_used() == cassette.networks


def test_a_recording_that_was_broken_off_goes_on_where_it_was(case: Case, tmp_path: Path) -> None:
    out, refused = tmp_path / "mill.jsonl.gz", 0

    def tired(asked: dict[str, Any]) -> Any:
        nonlocal refused
        if "analysis" in json.dumps(asked.get("response_format")):
            refused += 1
            return httpx2.Response(403, json={"error": {"message": "enough for today"}})
        return competent_model.reply(asked)

    with model_server(tired) as (address, first), pytest.raises(RunStoppedError):
        record(case, address, out, HEAD)
    assert not out.exists()
    with model_server(competent_model.reply) as (address, second):
        record(case, address, out, HEAD)
    assert not out.with_suffix(".part").exists()
    asked = [key_of({name: value for name, value in each.items() if name != "headers"}) for each in (*first, *second)]
    assert len(set(asked)) == len(asked) - refused, "nothing was asked twice that had been answered"
    with model_server(competent_model.reply) as (address, third):
        record(case, address, out, HEAD)
    assert third == [], "and of a whole recording nothing"


def test_a_session_whose_server_cannot_be_reached_is_not_recorded(case: Case, tmp_path: Path) -> None:
    out = tmp_path / "mill.jsonl.gz"
    with pytest.raises(RunStoppedError, match="could not be reached"):
        record(case, "http://127.0.0.1:9/v1", out, HEAD)
    assert not out.exists()


def test_the_servers_own_model_and_key_are_sent_and_not_kept(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECORD_API_KEY", "sk-of-the-recording")
    out = tmp_path / "mill.jsonl.gz"
    with model_server(competent_model.reply) as (address, got):
        record(case, address, out, HEAD, model="strong-1")
    assert {each["model"] for each in got} == {"strong-1"}
    assert {each["headers"]["authorization"] for each in got} == {"Bearer sk-of-the-recording"}
    assert {exchange.request["model"] for exchange in Cassette.read(out).exchanges} == {"recorded"}
    assert "sk-of" not in str(Cassette.read(out))


def test_a_request_asked_again_gets_the_next_answer_then_the_last_one() -> None:
    request = {"model": "recorded", "messages": []}
    cassette = Cassette(HEAD, [Exchange(request, 200, "application/json", body) for body in ("one", "two")])
    answers = [cassette.answer({"messages": [], "model": "recorded"}) for _ in range(3)]
    assert [answer and answer.body for answer in answers] == ["one", "two", "two"]
    assert cassette.answer({"messages": [1]}) is None
