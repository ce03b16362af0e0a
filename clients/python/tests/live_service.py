"""The package against a real service with a simulated robot, at ROBOT_URL (with ROBOT_KEY, ROBOT_CA) or ROBOT_SOCKET."""

import asyncio
import os
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, List

from async_case import AsyncCase
from robot_rest import (
    AccessLevel,
    Declined,
    LeaseHeld,
    LeaseLost,
    RobotClient,
    RobotRestError,
    Stopped,
    Unavailable,
    ValidationFailed,
    connect,
    sync,
)

HOW: Any = {
    "url": os.environ.get("ROBOT_URL"),
    "key": os.environ.get("ROBOT_KEY"),
    "ca": os.environ.get("ROBOT_CA"),
    "socket": os.environ.get("ROBOT_SOCKET"),
}


class LiveTest(AsyncCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.robot: RobotClient = connect(**HOW)
        await self.robot.__aenter__()

    async def asyncTearDown(self) -> None:
        await self.robot.close()

    async def pose(self, robot: Any = None) -> Any:
        return (await (robot or self.robot).get_pose()).result

    async def test_commands(self) -> None:
        robot = self.robot
        self.assertGreaterEqual(robot.access_level, AccessLevel.ADMIN)
        (sound,) = [command for command in await robot.commands() if command.name == "sound_level"]
        self.assertEqual([sound.kind, sound.effect, sound.spec["bounds"]], ["int", "action", {"minimum": 0, "maximum": 100}])
        self.assertIn("sound_level", dir(robot))
        self.assertEqual((await robot.sound_level(40)).ok, True)
        self.assertEqual((await robot.command("sound_level", value=30)).result, {"sound_level": 30})
        with self.assertRaises(ValidationFailed) as raised:
            await robot.sound_level(400)
        self.assertEqual(raised.exception.errors[0]["pointer"], "/value")
        with self.assertRaises(AttributeError) as unknown:
            robot.soundlevel
        self.assertIn("sound_level", str(unknown.exception))
        with self.assertRaises(RobotRestError) as missing:
            await robot.command("fly")
        self.assertEqual([missing.exception.status, missing.exception.code], [404, "unknown_command"])

    async def test_missions(self) -> None:
        robot = self.robot
        wait = await robot.skill("wait", seconds=0.2)
        await wait.started()
        self.assertEqual((await wait.completed(timeout=20)).result["awaited"], True)
        self.assertFalse(await wait.cancel())
        long = await robot.skill("wait", seconds=500)
        with self.assertRaises(asyncio.TimeoutError):
            await long.completed(timeout=0.1)
        self.assertTrue(await long.cancel())
        with self.assertRaises(Declined) as raised:
            await robot.skill("nonsense")
        self.assertEqual([raised.exception.detail, raised.exception.result.ok], ["Unknown skill", False])

    async def test_a_second_drive_replaces_the_first(self) -> None:
        drive = await self.robot.go_to_relative(x=3)
        second = await self.robot.go_to_relative(x=-0.1)
        self.assertEqual([drive.replaced, second.replaced], [False, True])
        with self.assertRaises(Declined):
            await self.robot.mission(drive).completed(timeout=20)
        self.assertTrue((await self.robot.stop()).stopped)

    async def test_a_stop_ends_what_waits(self) -> None:
        await self.robot.sleep(0)
        drive = self.robot.mission(await self.robot.go_to_relative(x=3))
        ends = [asyncio.ensure_future(drive.completed()), asyncio.ensure_future(self.robot.sleep(60))]
        await asyncio.sleep(0.1)
        self.assertTrue((await self.robot.stop()).stopped)
        ended = await asyncio.wait_for(asyncio.gather(*ends, return_exceptions=True), 20)
        self.assertEqual([type(each) for each in ended], [Stopped, Stopped], ended)

    async def test_tables(self) -> None:
        places = self.robot.table("known_locations_table")
        await places.add(id="söfa & co", color="#2196f3")
        self.assertEqual((await places.update("söfa & co", "color", "#000000"))["color"], "#000000")
        self.assertEqual(await places.get("söfa & co"), await places.delete("söfa & co"))
        with self.assertRaises(RobotRestError) as raised:
            await places.get("söfa & co")
        self.assertEqual(raised.exception.code, "row_not_found")
        self.assertLessEqual(len(await self.robot.table("categories_table").rows(limit=1, offset=1)), 1)

    async def test_skill_files(self) -> None:
        skills = self.robot.skills
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "greet_live.py"
            path.write_bytes(b'from robot_rest import skill\n@skill\nasync def greet_live(robot):\n    "Gr\xc3\xbc\xc3\x9ft."\n')
            uploaded = await skills.upload(path)
            self.assertEqual(await skills.download("greet_live"), path.read_bytes())
            path.write_text("def f(:\n")
            with self.assertRaises(ValidationFailed) as raised:
                await skills.upload(path)
        self.assertEqual(raised.exception.code, "invalid_python")
        self.assertEqual([uploaded.name, uploaded.enabled, uploaded.functions[0]["description"]], ["greet_live.py", True, "Grüßt."])
        self.assertFalse((await skills.disable("greet_live")).enabled)
        self.assertTrue((await skills.enable("greet_live")).enabled)
        self.assertEqual((await skills.rename("greet_live", "hi_live")).name, "hi_live.py")
        self.assertIn("hi_live.py", [skill.name for skill in await skills.list()])
        await skills.remove("hi_live")

    async def test_the_lease(self) -> None:
        async with connect(**HOW) as other:
            async with self.robot.lease(ttl=6) as lease:
                await self.robot.go_to_relative(x=0.1)
                with self.assertRaises(LeaseHeld) as raised:
                    await other.go_to_relative(x=0.1)
                self.assertEqual((raised.exception.holder or {})["client"], self.robot.client_id[:8])
                await asyncio.sleep(8)  # longer than it lives without being kept
                self.assertFalse(lease.lost.is_set())
                async with other.lease(ttl=20, take=True, reason="test") as taken:
                    self.assertTrue(taken.stop_confirmed)
                    await asyncio.wait_for(lease.lost.wait(), 20)
                    with self.assertRaises(LeaseLost):
                        await self.robot.go_to_relative(x=0.1)
            await self.robot.go_to_relative(x=-0.1)
            await self.robot.stop()

    async def test_motion_left_behind_by_an_exception_under_a_lease_is_stopped(self) -> None:
        with self.assertRaises(KeyError):
            async with self.robot.lease(ttl=60):
                drive = self.robot.mission(await self.robot.go_to_relative(x=4))
                raise KeyError
        with self.assertRaises((Stopped, Declined)):
            await drive.completed(timeout=20)
        self.assertFalse((await self.pose())["moving"])

    async def test_jog(self) -> None:
        async with self.robot.lease(ttl=20) as lease:
            async with lease.jog() as jog:
                jog.set_velocity(vx=0.2)
                await self.until_moving(True)
                await asyncio.sleep(0.5)  # longer than one frame counts
                await self.until_moving(True)
            await self.until_moving(False)

    async def test_a_stop_during_a_jog_ends_it_until_the_stick_is_released(self) -> None:
        async with self.robot.lease(ttl=20) as lease, lease.jog() as jog:
            jog.set_velocity(vx=0.2)
            await self.until_moving(True)
            await self.robot.stop()
            with self.assertRaises(Stopped):
                for _ in range(2000):
                    jog.set_velocity(vx=0.2)
                    await asyncio.sleep(0.01)
            self.assertFalse((await self.pose())["moving"])
            jog.set_velocity()
            await asyncio.sleep(0.3)
            jog.set_velocity(vx=-0.2)
            await self.until_moving(True)

    async def test_taking_the_lease_during_a_jog_stops_the_robot(self) -> None:
        async with connect(**HOW) as other, self.robot.lease(ttl=20) as lease:
            with self.assertRaises(LeaseLost):
                async with lease.jog() as jog:
                    jog.set_velocity(vx=0.2)
                    await self.until_moving(True)
                    async with other.lease(ttl=20, take=True, reason="test"):
                        self.assertFalse((await self.pose(other))["moving"])
                        await asyncio.wait_for(lease.lost.wait(), 20)
                    jog.set_velocity(vx=0.2)

    async def test_events_of_a_mission(self) -> None:
        seen: List[str] = []
        mission = None
        async for event in self.robot.events("missions"):
            if mission is None:
                mission = await self.robot.skill("wait", seconds=0.1)
            if event.subject == mission.id:
                seen.append(event.type)
            if seen[-1:] == ["robot.missions.finished"]:
                break
        self.assertEqual(seen, ["robot.missions.started", "robot.missions.finished"])

    async def test_a_hundred_clients(self) -> None:
        async def one(n: int) -> Any:
            async with connect(**HOW) as robot:
                return (await robot.is_sleeping()).ok, robot.client_id

        answers = await asyncio.gather(*(one(n) for n in range(100)))
        self.assertEqual([{ok for ok, _ in answers}, len({id for _, id in answers})], [{True}, 100])

    async def until_moving(self, moving: bool) -> None:
        end = asyncio.get_running_loop().time() + 20
        while (await self.pose())["moving"] is not moving:
            self.assertLess(asyncio.get_running_loop().time(), end)
            await asyncio.sleep(0.02)


class LiveBlockingTest(unittest.TestCase):
    def test_the_blocking_api(self) -> None:
        with sync.connect(**HOW) as robot:
            with robot.events("missions") as events:
                mission = None
                for event in events:
                    mission = mission or robot.skill("wait", seconds=0.1)
                    if event.subject == mission.id and event.type.endswith(".finished"):
                        break
            assert mission is not None
            self.assertTrue(mission.completed(timeout=20).ok)
            with robot.lease(ttl=20) as lease, lease.jog() as jog:
                jog.set_velocity(vx=0.1)
                while not robot.get_pose().result["moving"]:
                    pass
            self.assertFalse(lease.lost.is_set())
            self.assertTrue(robot.stop().stopped)

    def test_closing_it_ends_what_waits_in_other_threads(self) -> None:
        ends: List[BaseException] = []
        robot = sync.connect(**HOW)
        listening = threading.Event()

        def listen() -> None:
            try:
                for _ in robot.events("missions"):
                    listening.set()
            except Unavailable as error:
                ends.append(error)

        thread = threading.Thread(target=listen)
        thread.start()
        listening.wait(20)
        robot.close()
        thread.join(20)
        self.assertEqual([type(end) for end in ends], [Unavailable])


if __name__ == "__main__":
    unittest.main()
