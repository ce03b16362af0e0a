"""Patrols between two places until all rounds are done or somebody stops the robot.

As a skill: upload this file. From a laptop: ROBOT_KEY=$(cat api-key.txt) python3 patrol.py http://robot.local:8000
"""

import asyncio
import os
import sys

from robot_rest import LeaseLost, RobotClient, Stopped, Unavailable, connect, skill

PLACES = ({"x": 0.5, "y": 0.0, "theta": 180.0}, {"x": 0.0, "y": 0.0, "theta": 0.0})


@skill(access_level="USER", description="Drive back and forth, and nod at each end.")
async def patrol(robot: RobotClient, rounds: int = 1) -> int:
    visited = 0
    for _ in range(rounds):
        for place in PLACES:
            drive = await robot.go_to_absolute(**place)
            await robot.mission(drive).completed(timeout=60)
            await (await robot.skill("nod")).completed()
            print("visited", place)
            visited += 1
            await robot.sleep(0.2)
    return visited


async def main(address: str) -> None:
    async with connect(address, key=os.environ["ROBOT_KEY"]) as robot:
        try:
            async with robot.lease():
                print("places visited:", await patrol(robot))
        except (Stopped, LeaseLost, Unavailable) as error:
            sys.exit(f"the patrol has ended: {error}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
