"""A local HTTP server that speaks the wire formats of OpenAI and Anthropic."""

import json
import sys
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count


@dataclass
class Answer:
    """What the service answers to one request.

    `cut` is the number of events after which a stream breaks off; `calls` a tool that is called,
    `kind` the content type of a stream.
    """

    text: str = "Proof of income and a down payment for the home loan."
    others: tuple[str, ...] = ()
    calls: str = ""
    status: int = 200
    cut: int | None = None
    refusal: bool = False
    kind: str = "text/event-stream; charset=utf-8"


@dataclass
class Service:
    """The scripted side of the server."""

    answers: deque[Answer] = field(default_factory=deque)
    requests: list[dict] = field(default_factory=list)
    url: str = ""
    numbers: count = field(default_factory=lambda: count(1))

    def will(self, *answers):
        """Answer so from here on, and after that as by default."""
        self.answers.extend(answers)

    @property
    def bodies(self):
        return [request["body"] for request in self.requests]


class _Server(ThreadingHTTPServer):
    """Says nothing of readers that left."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def serve():  # noqa: C901 - a handler in its service
    """Return a running server and its service."""
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def log_message(self, *args):
            pass

        def do_GET(self):
            self._send_json(200, {"object": "list", "data": [], "has_more": False})

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            seen = {"path": self.path, "body": body, "headers": dict(self.headers)}
            service.requests.append(seen)
            answer = service.answers.popleft() if service.answers else Answer()
            if answer.status != 200:
                error = {"type": "error", "error": {"type": "x", "message": "no"}}
                self._send_json(answer.status, error)
                return
            if self.path.endswith("/embeddings"):
                vector = {"object": "embedding", "index": 0, "embedding": [1.0]}
                self._send_json(200, {"object": "list", "model": "m", "data": [vector]})
                return
            if self.path.endswith("/count_tokens"):
                self._send_json(200, {"input_tokens": 1})
                return
            number = next(service.numbers)
            whole, events = _FORMATS[_format(self.path)](answer, number)
            if body.get("stream"):
                self._send_events(events, answer)
            else:
                self._send_json(200, whole)

        def _send_json(self, status, value):
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()

        def _send_events(self, events, answer):
            cut = answer.cut
            self.send_response(200)
            self.send_header("content-type", answer.kind)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            try:
                for event in events[:cut]:
                    data = event.encode()
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                    self.wfile.flush()
                if cut is None:
                    self.wfile.write(b"0\r\n\r\n")
                    self.wfile.flush()
            except (BrokenPipeError, ConnectionResetError):
                pass  # the reader has left
            self.close_connection = cut is not None

    server = _Server(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True).start()
    return server, service


def _format(path):
    path = path.partition("?")[0]
    return next(end for end in _FORMATS if path.endswith(end))


def _pieces(text):
    return [text[i : i + 7] for i in range(0, len(text), 7)]


def _data(value, name=None):
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n"


def _chat(answer, number):
    name = f"chatcmpl-{number}"
    tool = {"id": "t1", "type": "function", "function": {"name": answer.calls, "arguments": "{}"}}
    texts = (answer.text, *answer.others)
    choices = []
    chunks = []
    for index, text in enumerate(texts):
        message = {"role": "assistant", "content": text or None}
        if answer.refusal:
            message = {"role": "assistant", "content": None, "refusal": text}
        if answer.calls:
            message["tool_calls"] = [tool]
        why = "tool_calls" if answer.calls else "stop"
        choices.append({"index": index, "finish_reason": why, "message": message})
        field = "refusal" if answer.refusal else "content"
        deltas = [{"role": "assistant"}, *({field: piece} for piece in _pieces(text))]
        if answer.calls:
            deltas.append({"tool_calls": [{"index": 0, **tool}]})
        chunks += [{"index": index, "delta": delta, "finish_reason": None} for delta in deltas]
        chunks.append({"index": index, "delta": {}, "finish_reason": why})
    common = {"id": name, "created": 1, "model": "m"}
    events = [_data({**common, "object": "chat.completion.chunk", "choices": [c]}) for c in chunks]
    whole = {**common, "object": "chat.completion", "choices": choices}
    return whole, [*events, "data: [DONE]\n\n"]


def _responses(answer, number):
    name = f"resp_{number}"
    part = {"type": "output_text", "text": answer.text, "annotations": []}
    if answer.refusal:
        part = {"type": "refusal", "refusal": answer.text}
    message = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    call = {
        "id": "f1",
        "type": "function_call",
        "call_id": "c1",
        "name": answer.calls,
        "arguments": "{}",
        "status": "completed",
    }
    output = ([message] if answer.text else []) + ([call] if answer.calls else [])
    whole = {
        "id": name,
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    begun = {**whole, "status": "in_progress", "output": []}
    events = [{"type": "response.created", "response": begun}]
    if answer.text:
        kind = "refusal" if answer.refusal else "output_text"
        at = {"item_id": "m1", "output_index": 0, "content_index": 0}
        empty = {**message, "content": [], "status": "in_progress"}
        key = "refusal" if answer.refusal else "text"
        events += [
            {"type": "response.output_item.added", "output_index": 0, "item": empty},
            {"type": "response.content_part.added", **at, "part": {**part, key: ""}},
            *(
                {"type": f"response.{kind}.delta", **at, "delta": piece, "logprobs": []}
                for piece in _pieces(answer.text)
            ),
            {"type": f"response.{kind}.done", **at, key: answer.text, "logprobs": []},
            {"type": "response.output_item.done", "output_index": 0, "item": message},
        ]
    if answer.calls:
        place = len(output) - 1
        events += [
            {"type": "response.output_item.added", "output_index": place, "item": call},
            {"type": "response.output_item.done", "output_index": place, "item": call},
        ]
    events.append({"type": "response.completed", "response": whole})
    sent = [_data({**e, "sequence_number": i}, e["type"]) for i, e in enumerate(events)]
    return whole, sent


def _messages(answer, number):
    name = f"msg_{number}"
    tool = {"type": "tool_use", "id": "t1", "name": answer.calls, "input": {}}
    text = {"type": "text", "text": answer.text}
    content = ([text] if answer.text else []) + ([tool] if answer.calls else [])
    why = "tool_use" if answer.calls else "end_turn"
    whole = {
        "id": name,
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": why,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    events = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for index, block in enumerate(content):
        is_text = block["type"] == "text"
        begun = {**block, "text": ""} if is_text else block
        events.append({"type": "content_block_start", "index": index, "content_block": begun})
        for piece in _pieces(answer.text) if is_text else ():
            delta = {"type": "text_delta", "text": piece}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": why, "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return whole, [_data(event, event["type"]) for event in events]


_FORMATS = {"/chat/completions": _chat, "/responses": _responses, "/v1/messages": _messages}
