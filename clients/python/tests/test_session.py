"""Tokens are refreshed before they expire whatever the clock says, replaced when rejected, and never shown."""

import asyncio
import os
import pickle
import time
import traceback
import unittest
from typing import Callable
from unittest import mock

from async_case import AsyncCase
from fake_service import FakeService, Reply, Request, problem
from robot_rest import AccessError, AuthError, RobotRestError, Unavailable, ValidationFailed, connect
from robot_rest import _session
from robot_rest._address import address_of
from robot_rest.errors import from_problem


async def until(what: str, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end, f"waited in vain until {what}"
        await asyncio.sleep(0.02)


class SessionTest(AsyncCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.service = await FakeService().start()

    async def asyncTearDown(self) -> None:
        await self.service.close()

    async def test_a_token_is_refreshed_before_its_end_even_if_the_clock_is_wrong(self) -> None:
        right = time.time
        self.service.expires_in = 1.2
        for hours in (-1, 1):
            wrong = mock.patch("time.time", lambda: right() + hours * 3600)
            with wrong, mock.patch.object(_session, "SHORT_SECONDS", 0):
                async with connect(self.service.url, key="rk_secret") as robot:
                    first = robot._session.token
                    await until("it is refreshed", lambda: robot._session.token is not first)
                    await robot.commands()
                    self.assertEqual(self.service.count("GET /api/v2/auth/"), 1)
            self.service.requests.clear()

    async def test_at_the_end_of_a_session_the_key_begins_a_new_one(self) -> None:
        self.service.expires_in = 1.2

        async def last(_request: Request) -> Reply:
            return 200, {**self.service.token_answer("client"), "expires_in": 0.3}

        self.service.on("GET /api/v2/auth/refresh/", last)
        async with connect(self.service.url, key="rk_secret"):
            await until("a new one has begun", lambda: self.service.count("GET /api/v2/auth/") == 2)

    async def test_a_given_token_is_exchanged_at_once_and_keeps_its_client(self) -> None:
        async with connect(self.service.url, token="given") as robot:
            self.assertEqual(robot.client_id, "client")
        self.assertEqual(self.service.requests[0].token, "given")
        self.assertEqual(self.service.count("GET /api/v2/auth/"), 0)

    async def test_a_refresh_that_fails_is_tried_again(self) -> None:
        self.service.expires_in = 1.0
        usual = self.service.handlers["GET /api/v2/auth/refresh/"]
        self.service.on("GET /api/v2/auth/refresh/", (503, problem("component_unavailable")))
        async with connect(self.service.url, key="rk_secret"):
            await until("it has failed", lambda: self.service.count("GET /api/v2/auth/refresh/") > 0)
            self.service.on("GET /api/v2/auth/refresh/", usual)
            await until("it has worked", lambda: self.service.minted > 1)

    async def test_a_refused_refresh_makes_the_key_begin_a_new_session(self) -> None:
        self.service.expires_in = 1.0
        self.service.on("GET /api/v2/auth/refresh/", (401, problem("token_expired")))
        async with connect(self.service.url, key="rk_secret") as robot:
            await until("it has authenticated anew", lambda: self.service.count("GET /api/v2/auth/") > 1)
            await robot.commands()

    async def test_a_refused_token_without_a_key_raises(self) -> None:
        async with connect(self.service.url, token="given") as robot:
            self.service.on("GET /api/v2/commands/", (401, problem("key_revoked")))
            with self.assertRaises(AuthError) as raised:
                await robot.commands()
            self.assertEqual(raised.exception.code, "key_revoked")

    async def test_a_refused_token_is_replaced_once_however_many_requests_meet_it(self) -> None:
        async def judge(request: Request) -> Reply:
            return (401, problem("token_expired")) if request.token == "token-1" else (200, {"commands": []})

        async with connect(self.service.url, key="rk_secret") as robot:
            self.service.on("GET /api/v2/commands/", judge)
            await asyncio.gather(*(robot.commands() for _ in range(10)))
        self.assertEqual(self.service.count("GET /api/v2/auth/"), 2)

    async def test_a_revoked_key_raises(self) -> None:
        async with connect(self.service.url, key="rk_secret") as robot:
            self.service.on("GET /api/v2/commands/", (401, problem("key_revoked")))
            self.service.on("GET /api/v2/auth/", (401, problem("api_key_invalid")))
            with self.assertRaises(AuthError) as raised:
                await robot.commands()
            self.assertEqual(raised.exception.code, "api_key_invalid")

    async def test_no_secret_is_shown(self) -> None:
        robot = connect(self.service.url, key="rk_secret")
        async with robot:
            self.service.on("GET /api/v2/commands/", (403, problem("insufficient_access")))
            try:
                await robot.commands()
            except AccessError as error:
                report = traceback.TracebackException(type(error), error, error.__traceback__, capture_locals=True)
                text = "".join(report.format())
            session = robot._session
            shown = [text, repr(robot), str(session.token), repr(vars(session)), repr(vars(robot))]
        for secret in ("rk_secret", "token-1"):
            self.assertNotIn(secret, "".join(shown))
        with self.assertRaises(TypeError):
            pickle.dumps(session._key)

    async def test_many_clients_in_one_process(self) -> None:
        async def one() -> str:
            async with connect(self.service.url, key="rk_secret") as robot:
                return str((await robot.commands())[0].name)

        self.assertEqual(set(await asyncio.gather(*(one() for _ in range(100)))), {"get_pose"})

    async def test_closing_ends_every_task_and_connection(self) -> None:
        before = asyncio.all_tasks()
        async with connect(self.service.url, key="rk_secret") as robot:
            await robot.commands()
        await asyncio.sleep(0.05)
        ours = [task for task in asyncio.all_tasks() - before if "_serve" not in repr(task)]
        self.assertEqual(ours, [])
        with self.assertRaises(Unavailable):
            await robot.commands()


class AddressTest(unittest.TestCase):
    def test_where_the_service_is(self) -> None:
        cases = {
            "http://robot.local:8000": "http://robot.local:8000",
            "https://robot.local": "https://robot.local",
            "https://[::1]:8443/rest/": "https://[::1]:8443/rest",
        }
        for url, shown in cases.items():
            self.assertEqual(str(address_of(url, None, None, None)), shown)
        fleet = address_of("https://fleet.example", None, "robot-7", None)
        self.assertEqual(str(fleet), "https://fleet.example/robot-7/rest")
        with mock.patch.dict(os.environ, {"ROBOT_REST_SOCKET": "/run/x.sock"}):
            self.assertEqual(str(address_of(None, None, None, None)), "unix:/run/x.sock")
        self.assertEqual(str(address_of(None, None, None, None)), "unix:/tmp/rest_api.sock")

    def test_invalid_addresses(self) -> None:
        for url in ("robot.local:8000", "ftp://robot", "http://", "http://u:rk_secret@robot", "http://robot?key=rk_secret"):
            with self.subTest(url), self.assertRaises(ValueError) as raised:
                address_of(url, None, None, None)
            self.assertNotIn("rk_secret", str(raised.exception))
        with self.assertRaises(ValueError):
            connect("http://robot", key="rk_a", token="b")
        with self.assertRaises(ValueError) as refused:
            connect("http://robot", key="rk_secret\r\nX: y")
        self.assertNotIn("rk_secret", str(refused.exception))


class ErrorsTest(unittest.TestCase):
    def test_every_problem_has_its_class(self) -> None:
        cases = [
            (401, "key_revoked", "AuthError"),
            (429, "rate_limited", "AuthError"),
            (403, "insufficient_access", "AccessError"),
            (409, "busy", "Busy"),
            (409, "stopped", "Stopped"),
            (409, "estop_engaged", "Stopped"),
            (409, "lease_held", "LeaseHeld"),
            (410, "lease_lost", "LeaseLost"),
            (422, "wrong_value_type", "ValidationFailed"),
            (400, "malformed_json", "ValidationFailed"),
            (503, "robot_unavailable", "Unavailable"),
            (502, "added_later", "Unavailable"),
            (404, "unknown_command", "RobotRestError"),
            (409, "lease_required", "RobotRestError"),
        ]
        for status, code, name in cases:
            error = from_problem(status, problem(code, command_ran="no", errors=[{"pointer": "/x", "message": "m"}, 1]))
            self.assertEqual([type(error).__name__, error.code, error.command_ran], [name, code, "no"])
            self.assertEqual(error.errors, [{"pointer": "/x", "message": "m"}])
        self.assertIsInstance(ValidationFailed(422, "c", "d"), RobotRestError)


if __name__ == "__main__":
    unittest.main()
