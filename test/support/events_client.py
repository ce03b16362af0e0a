"""Subscribes to missions over a WebSocket, starts one over HTTP, and prints what it is told, one line each.

Arguments: base URL. The token comes on standard input.
"""
import asyncio
import json
import sys
import urllib.request

import websockets

base, token = sys.argv[1], sys.stdin.read().strip()


def start_mission():
    body = json.dumps({"value": {"name": "wait", "seconds": 0.1}}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    url = f"{base}/api/v2/commands/skill/"
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
        return json.load(answer)["result"]["msg"]


async def main():
    url = base.replace("http", "ws", 1) + "/api/v2/events"
    async with websockets.connect(url) as socket:
        await socket.send(json.dumps({"type": "authenticate", "token": token}))
        await socket.send(json.dumps({"type": "subscribe", "topics": ["missions"]}))
        mission = None
        async for text in socket:
            message = json.loads(text)
            print(message["type"], message.get("event", {}).get("type", ""), flush=True)
            if message["type"] == "snapshot":
                mission = await asyncio.get_running_loop().run_in_executor(None, start_mission)
            event = message.get("event", {})
            if event.get("subject") == mission and event.get("type") == "robot.missions.finished":
                return


asyncio.run(asyncio.wait_for(main(), 20))
