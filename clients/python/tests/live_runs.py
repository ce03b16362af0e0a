"""Also against a real service, see live_service.py: runs of skill files."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from async_case import AsyncCase
from live_service import HOW
from robot_rest import Busy, RobotClient, RobotRestError, ValidationFailed, connect, sync

SOURCE = """
from robot_rest import skill

@skill
async def count(robot, up_to: int, pause: float = 0):
    assert robot.run_id == robot.client_id
    for number in range(up_to):
        print("number", number)
        await robot.sleep(pause)
    return {"counted": up_to}
"""


class RunsTest(AsyncCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.robot: RobotClient = connect(**HOW)
        await self.robot.__aenter__()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "count.py"
            path.write_text(SOURCE)
            await self.robot.skills.upload(str(path))

    async def asyncTearDown(self) -> None:
        await self.robot.skills.remove("count")
        await self.robot.close()

    async def test_a_run_from_start_to_end(self) -> None:
        run = await self.robot.runs.start("count", {"up_to": 3})
        lines = [line async for line in run.logs(follow=True)]
        self.assertEqual(lines, ["number 0", "number 1", "number 2"])
        await run.completed(timeout=40)
        self.assertEqual([run.state, run.result, run.error], ["succeeded", {"counted": 3}, None])
        self.assertEqual([line async for line in run.logs()], lines)
        self.assertEqual((await self.robot.runs.get(run.id)).state, "succeeded")
        self.assertIn(run.id, [each.id for each in await self.robot.runs.list()])

    async def test_what_is_refused(self) -> None:
        with self.assertRaises(ValidationFailed) as raised:
            await self.robot.runs.start("count", {"up_to": "three"})
        self.assertEqual(raised.exception.errors[0]["pointer"], "/args/up_to")
        with self.assertRaises(RobotRestError) as unknown:
            await self.robot.runs.start("nothing")
        self.assertEqual(unknown.exception.code, "skill_not_found")

    async def test_one_at_a_time_and_stop(self) -> None:
        run = await self.robot.runs.start("count", {"up_to": 1000, "pause": 1})
        with self.assertRaises(Busy):
            await self.robot.runs.start("count", {"up_to": 1})
        await run.stop()
        self.assertEqual((await run.completed(timeout=40)).state, "stopped")

    async def test_a_stop_of_the_robot_ends_it(self) -> None:
        run = await self.robot.runs.start("count", {"up_to": 1000, "pause": 1})
        stop = await self.robot.stop()
        self.assertEqual(stop.stopped, True)
        self.assertEqual((await run.completed(timeout=40)).state, "stopped")

    async def test_by_name_as_a_mission(self) -> None:
        mission = await self.robot.skill("count", up_to=1)
        await mission.completed(timeout=40)

    async def test_blocking(self) -> None:
        def work() -> Any:
            with sync.connect(**HOW) as robot:
                return robot.runs.start("count", {"up_to": 1}).completed(timeout=40).result

        self.assertEqual(await asyncio.get_running_loop().run_in_executor(None, work), {"counted": 1})
