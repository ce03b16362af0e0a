"""Also against a real service, see live_service.py: what ends a wait, and the unit named in the README."""

import asyncio
import unittest
from typing import Any

from async_case import AsyncCase
from live_service import HOW
from robot_rest import LeaseLost, Stopped, connect


class EndingsTest(AsyncCase):
    async def begin(self, robot: Any) -> Any:
        drive = robot.mission(await robot.go_to_relative(x=3))
        wait = asyncio.ensure_future(drive.completed())
        await asyncio.sleep(0.1)
        return wait

    async def test_a_stop_of_another_client(self) -> None:
        async with connect(**HOW) as robot, connect(**HOW) as other:
            wait = await self.begin(robot)
            await other.stop()
            with self.assertRaises(Stopped):
                await asyncio.wait_for(wait, 20)

    async def test_a_lease_that_is_taken(self) -> None:
        async with connect(**HOW) as robot, connect(**HOW) as other, robot.lease(ttl=60) as lease:
            wait = await self.begin(robot)
            async with other.lease(take=True, reason="test"):
                with self.assertRaises(LeaseLost):
                    await asyncio.wait_for(wait, 20)
            self.assertTrue(lease.lost.is_set())

    async def test_logs(self) -> None:
        async with connect(**HOW) as robot:
            entries = [entry async for entry in robot.logs("base", "robot-nav.service")]
        self.assertTrue(all(entry.message for entry in entries))


if __name__ == "__main__":
    unittest.main()
