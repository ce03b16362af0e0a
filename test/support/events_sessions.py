"""Follows missions over a WebSocket while its session ends three times, and misses none.

Argument: base URL. The API key comes on standard input. Prints JSON: the missions it had carried out, the events it was
told, and the codes with which its connections were closed.
"""
import asyncio
import json
import sys
import urllib.request

import websockets

base, key = sys.argv[1], sys.stdin.read().strip()
ran, told, codes = [], [], []


def call(path, token=None, body=None, method="POST"):
    headers = {"X-API-Key": key} if token is None else {"Authorization": f"Bearer {token}"}
    data = None if body is None else json.dumps(body).encode()
    if data is not None:
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(base + path, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def log_in():
    return call("/api/v2/auth/", method="GET")["token"]


def run_mission(token):
    command = {"value": {"name": "wait", "seconds": 0.05}}
    mission = call("/api/v2/commands/skill/", token, command)["result"]["msg"]
    ran.append(mission)
    call("/api/v2/commands/wait_for_skill/", token, {"value": mission})


def later(work, *args):
    return asyncio.get_running_loop().run_in_executor(None, work, *args)


async def follow(token, act, until):
    """Connects, subscribes with what was seen last, acts, and reads until told to end or closed."""
    async with websockets.connect(base.replace("http", "ws", 1) + "/api/v2/events") as socket:
        await socket.send(json.dumps({"type": "authenticate", "token": token}))
        after = {"after": told[-1]["id"]} if told else {}
        await socket.send(json.dumps({"type": "subscribe", "topics": ["missions"], **after}))
        acting = None
        try:
            while True:
                message = json.loads(await socket.recv())
                if message["type"] == "subscribed":
                    acting = asyncio.ensure_future(act(token))
                if message["type"] == "gap":
                    raise RuntimeError("events were lost")
                if message["type"] == "event":
                    told.append({k: message["event"][k] for k in ("id", "type", "subject")})
                    if until(message["event"]):
                        break
        except websockets.ConnectionClosed as closed:
            codes.append(closed.code)
        await acting


async def main():
    async def run_and_log_out(token):
        await later(run_mission, token)
        await later(call, "/api/v2/auth/logout", token)

    for _ in range(3):
        await follow(await later(log_in), run_and_log_out, lambda event: False)
        await later(run_mission, await later(log_in))  # nobody listens meanwhile
    last = await later(log_in)
    await follow(
        last,
        lambda token: later(run_mission, token),
        lambda event: len(ran) == 7 and event["subject"] == ran[-1] and event["type"].endswith("finished"),
    )
    print(json.dumps({"ran": ran, "told": told, "codes": codes}))


asyncio.run(asyncio.wait_for(main(), 50))
