"""Misuse is reported with helpful messages."""

import asyncio
import os
import tempfile
import unittest
from typing import Any, Callable, List

from async_case import AsyncCase
from fake_service import FakeService, problem
from robot_rest import LeaseHeld, RobotRestError, Unavailable, connect, sync
from robot_rest._address import address_of


class MisuseTest(AsyncCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.service = await FakeService().start()

    async def asyncTearDown(self) -> None:
        await self.service.close()

    async def test_a_client_that_was_not_entered_says_how(self) -> None:
        robot = connect(self.service.url, key="rk_x")
        asked: List[Callable[[], Any]] = [
            robot.commands,
            robot.get_pose,
            robot.stop,
            robot.lease().__aenter__,
            robot.skills.list,
            robot.table("t").rows,
            robot.runs.list,
            lambda: robot.events("missions").__anext__(),
            lambda: robot.sleep(0),
        ]
        for ask in asked:
            with self.subTest(str(ask)), self.assertRaises(RobotRestError) as raised:
                await ask()
            self.assertIn("async with connect(", str(raised.exception))
            self.assertEqual(raised.exception.command_ran, "no")
        with self.assertRaises(RobotRestError):
            robot.access_level
        await robot.close()

    async def test_a_closed_client_says_the_same_in_both_apis(self) -> None:
        async with connect(self.service.url, key="rk_x") as robot:
            pass
        with self.assertRaises(Unavailable) as raised:
            await robot.get_pose()

        def blocking() -> Unavailable:
            with sync.connect(self.service.url, key="rk_x") as robot:
                pass
            robot.close()  # once more does nothing
            with self.assertRaises(Unavailable) as raised:
                robot.get_pose()
            return raised.exception

        errors = [raised.exception, await asyncio.get_running_loop().run_in_executor(None, blocking)]
        self.assertEqual([(e.code, e.detail, e.command_ran) for e in errors], [("closed", "This client is closed.", "no")] * 2)

    async def test_another_server_at_the_address_is_named(self) -> None:
        html = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>"
        answer: Any
        for answer in (html % b"200 OK", html % b"404 Not Found", html % b"301 Moved", b"SSH-2.0-OpenSSH_9.2\r\n\r\n", (200, {})):
            self.service.on("GET /api/v2/auth/", answer)
            with self.subTest(str(answer)), self.assertRaises(Unavailable) as raised:
                await connect(self.service.url, key="rk_x").__aenter__()
            self.assertIn(f"No robot-rest service found at {self.service.url}", raised.exception.detail)
        self.service.on("GET /api/v2/auth/", (503, problem("component_unavailable")))
        with self.assertRaises(Unavailable) as raised:
            await connect(self.service.url, key="rk_x").__aenter__()
        self.assertEqual(raised.exception.code, "component_unavailable")

    async def test_a_held_lease_says_how_to_take_it(self) -> None:
        self.service.on("POST /api/v2/lease/", (409, problem("lease_held", "anna controls the robot.")))
        async with connect(self.service.url, key="rk_x") as robot:
            with self.assertRaises(LeaseHeld) as raised:
                await robot.lease().__aenter__()
        self.assertIn("anna controls the robot. In Python: robot.lease(take=True, reason=", raised.exception.detail)


class ArgumentsTest(unittest.TestCase):
    def test_a_key_that_is_not_a_string(self) -> None:
        wrong: Any
        for wrong in ({"key": b"rk_secret"}, {"token": 7}):
            (name,) = wrong
            with self.subTest(name), self.assertRaisesRegex(TypeError, f"The {name} must be a str, not ") as raised:
                connect("http://robot", **wrong)
            self.assertNotIn("rk_secret", str(raised.exception))

    def test_certificates(self) -> None:
        for url in ("http://robot", "HTTP://robot", None):
            with self.subTest(url), self.assertRaisesRegex(ValueError, "ca= is for https://"):
                address_of(url, None, None, "robot.crt")
        with tempfile.TemporaryDirectory() as folder:
            none = os.path.join(folder, "robot.crt")
            with self.assertRaisesRegex(ValueError, "robot.crt.*No such file"):
                address_of("https://robot", None, None, none)
            with open(none, "w") as file:
                file.write("no certificate")
            with self.assertRaisesRegex(ValueError, "robot.crt"):
                address_of("https://robot", None, None, none)


if __name__ == "__main__":
    unittest.main()
