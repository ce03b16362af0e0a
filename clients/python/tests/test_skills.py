"""The skill decorator, runs, and the blocking API."""

import os
import subprocess
import sys
import threading
import unittest
from typing import Any, Dict
from unittest import mock

import robot_rest
from async_case import AsyncCase
from fake_service import FakeService, Reply, Request
from robot_rest import AccessLevel, Jog, Lease, Mission, RobotClient, Run, SkillInfo, Unavailable, connect, skill, sync
from robot_rest._runs import Runs
from robot_rest._tables import Skills, Table


class PackageTest(unittest.TestCase):
    def test_a_skill_that_needs_no_robot_imports_no_asyncio(self) -> None:
        program = "import sys; from robot_rest import skill; sys.exit('asyncio' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", program]).returncode, 0)

    def test_every_name_can_be_imported_and_is_listed(self) -> None:
        for name in robot_rest.__all__:
            self.assertTrue(hasattr(robot_rest, name), name)
            self.assertIn(name, dir(robot_rest))
        self.assertFalse(hasattr(robot_rest, "Nothing"))


class DecoratorTest(unittest.TestCase):
    def test_it_marks_a_function_and_leaves_it_as_it_is(self) -> None:
        @skill
        async def bare(robot: Any) -> None:
            """Does nothing."""

        @skill(access_level=AccessLevel.ADMIN, description="Does something.")
        async def described(robot: Any, times: int = 3) -> int:
            return times

        self.assertEqual(getattr(bare, "__robot_skill__"), SkillInfo(AccessLevel.USER, "Does nothing."))
        self.assertEqual(getattr(described, "__robot_skill__"), SkillInfo(AccessLevel.ADMIN, "Does something."))
        self.assertEqual(described.__name__, "described")

    def test_it_refuses_what_cannot_be_run(self) -> None:
        with self.assertRaises(TypeError):
            skill(lambda robot: None)  # type: ignore[type-var]
        with self.assertRaises(ValueError):
            skill(access_level="GOD")

    def test_levels_are_compared_by_what_they_allow(self) -> None:
        self.assertGreater(AccessLevel.ENCHANTER, AccessLevel.ADMIN)
        self.assertLess(AccessLevel.USER, AccessLevel.ADMIN)
        self.assertTrue(AccessLevel.USER <= "USER" and AccessLevel.ADMIN >= "USER" and AccessLevel.USER == "USER")


class RunsTest(AsyncCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.service = await FakeService().start()
        states = ["starting", "running", "succeeded"]

        async def state(_request: Request) -> Reply:
            return 200, self.record(states.pop(0), result=[1])

        entries = [{"timestamp": "t", "stream": "stdout", "message": line} for line in ("one", "two")]
        self.service.on("POST /api/v2/runs/", (201, self.record("starting")))
        self.service.on("GET /api/v2/runs/", (200, {"runs": [self.record("lost")]}))
        self.service.on("GET /api/v2/runs/r-1", state)
        self.service.on("POST /api/v2/runs/r-1/stop", (200, self.record("stopping")))
        self.service.on("GET /api/v2/runs/r-1/logs", (200, {"entries": entries, "truncated": False}))

    async def asyncTearDown(self) -> None:
        await self.service.close()

    def record(self, state: str, **more: Any) -> Dict[str, Any]:
        return {"id": "r-1", "state": state, "result": None, "error": None, **more}

    async def test_a_run_from_its_start_to_its_end(self) -> None:
        async with connect(self.service.url, key="rk_x") as robot:
            run = await robot.runs.start("greet", {"times": 2}, function="greet")
            body = {"skill": "greet", "args": {"times": 2}, "timeout_s": 3600, "function": "greet"}
            self.assertEqual([run.id, run.state, self.service.requests[-1].json()], ["r-1", "starting", body])
            self.assertEqual([line async for line in run.logs()], ["one", "two"])
            await run.completed(timeout=20)
            self.assertEqual([run.state, run.result], ["succeeded", [1]])
            self.assertEqual((await run.stop()).state, "stopping")
            self.assertEqual([each.state for each in await robot.runs.list()], ["lost"])

    async def test_followed_logs_end_with_the_run(self) -> None:
        lines = b'data: {"message":"one"}\n\ndata: {"message":"two"}\n\nevent: end\ndata: {"reason":"over"}\n\n'
        self.service.on("GET /api/v2/runs/r-1/logs", b"HTTP/1.1 200 OK\r\n\r\n: hello\n\n" + lines)
        async with connect(self.service.url, key="rk_x") as robot:
            run = await robot.runs.get("r-1")
            self.assertEqual([line async for line in run.logs(follow=True)], ["one", "two"])

    async def test_a_skill_knows_its_run_where_the_service_runs_it(self) -> None:
        with mock.patch.dict(os.environ, {"ROBOT_REST_RUN": "r-9", "ROBOT_REST_SOCKET": "/run/r-9.sock"}):
            self.assertEqual(connect().run_id, "r-9")
            self.assertIsNone(connect("http://robot.local").run_id)
        self.assertIsNone(connect().run_id)


class BlockingTest(unittest.TestCase):
    def test_it_has_the_same_names(self) -> None:
        def names(kind: Any) -> "set[str]":
            return {name for name in dir(kind) if not name.startswith("_")}

        inner = {"id", "next_seq", "kept", "fail", "is_lost", "last_id", "error"}
        pairs = [(RobotClient, sync.RobotClient), (Lease, sync.Lease), (Jog, sync.Jog), (Mission, sync.Mission)]
        more = [(Run, sync.Run), (Runs, sync.Runs), (Table, sync.Table), (Skills, sync.Skills)]
        for ours, blocking in [*pairs, *more]:
            self.assertEqual(names(ours) - names(blocking) - inner, set(), ours)

    def test_an_error_while_connecting_leaves_no_thread(self) -> None:
        before = threading.active_count()
        with self.assertRaises(Unavailable):
            sync.connect(socket="/nowhere/x.sock")
        self.assertEqual(threading.active_count(), before)


if __name__ == "__main__":
    unittest.main()
