"""Prints the type and subject of mission events, one per line, over the given Unix socket."""

import asyncio
import sys

from robot_rest import connect


async def main(socket: str) -> None:
    async with connect(socket=socket) as robot:
        async for event in robot.events("missions"):
            print(" ".join([event.type, *([event.subject] if event.subject else [])]), flush=True)


asyncio.run(main(sys.argv[1]))
