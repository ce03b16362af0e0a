"""Whatever a server sends, a request ends with a response or an error of this package."""

import asyncio
import unittest
from typing import Any, List
from unittest import mock

from async_case import AsyncCase
from fake_service import FakeService, Holding, Reply, Request
from robot_rest import RobotClient, Unavailable, _pool, _session, connect

OK = b"HTTP/1.1 200 OK\r\n"

GARBAGE = {
    "nothing": b"",
    "another protocol": b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\r\n",
    "a status that is none": b"HTTP/1.1 999 ?\r\n\r\n",
    "half a head": b"HTTP/1.1 200 OK\r\nContent-Le",
    "a header without colon": OK + b"nonsense\r\n\r\n",
    "headers without end": OK + b"X: " + b"y" * 100_000,
    "too many headers": OK + b"X: y\r\n" * 1000 + b"\r\n",
    "interim answers only": b"HTTP/1.1 100 Continue\r\n\r\n" * 50,
    "half a body": OK + b"Content-Length: 100\r\n\r\n{}",
    "a negative length": OK + b"Content-Length: -1\r\n\r\n",
    "a length without end": OK + b"Content-Length: " + b"9" * 500 + b"\r\n\r\n",
    "length and chunks": OK + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "an unknown coding": OK + b"Transfer-Encoding: gzip\r\n\r\n",
    "a chunk of no size": OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
    "a chunk that goes on": OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
    "a huge chunk": OK + b"Transfer-Encoding: chunked\r\n\r\nffffffffff\r\n{}",
    "trailers without end": OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 1000,
    "no JSON": OK + b"Content-Length: 4\r\n\r\n<ht>",
    "JSON nested without end": OK + b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
    "an array": OK + b"Content-Length: 2\r\n\r\n[]",
    "text that is not UTF-8": OK + b'Content-Length: 5\r\n\r\n"\xff\xfe"',
}


class Case(AsyncCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.service = await FakeService().start()

    async def asyncTearDown(self) -> None:
        await self.service.close()

    def connect(self) -> RobotClient:
        return connect(self.service.url, key="rk_secret")


class GarbageTest(Case):
    async def test_garbage_is_unavailable(self) -> None:
        async with self.connect() as robot:
            for what, answer in GARBAGE.items():
                self.service.on("POST /api/v2/commands/get_pose/", answer)
                with self.subTest(what), self.assertRaises(Unavailable) as raised:
                    await robot.get_pose()
                self.assertIn(raised.exception.code, ("bad_answer", "connection_lost"))
                self.assertEqual(raised.exception.command_ran, "maybe")

    async def test_garbage_instead_of_a_token_is_unavailable(self) -> None:
        for what, answer in GARBAGE.items():
            self.service.on("GET /api/v2/auth/", answer)
            with self.subTest(what), self.assertRaises(Unavailable):
                await self.connect().__aenter__()
        for body in ({}, {"token": 1, "expires_in": 1}, {"token": "a b\r\n", "expires_in": 1}, {"token": "t"}):
            self.service.on("GET /api/v2/auth/", (200, body))
            with self.subTest(str(body)), self.assertRaises(Unavailable):
                await self.connect().__aenter__()

    async def test_a_body_without_end_is_cut(self) -> None:
        async with self.connect() as robot:
            self.service.on("POST /api/v2/commands/get_pose/", OK + b"\r\n" + b"x" * 200_000)
            with mock.patch("robot_rest._http.MAX_BODY_BYTES", 100_000), self.assertRaises(Unavailable) as raised:
                await robot.get_pose()
            self.assertEqual(raised.exception.code, "bad_answer")

    async def test_silence_ends_with_the_time_out(self) -> None:
        async with self.connect() as robot:
            self.service.on("GET /api/v2/skill/list/", None)
            with mock.patch.object(_session.Session.request, "__kwdefaults__", _quick()):
                with self.assertRaises(Unavailable) as raised:
                    await robot.skills.list()
            self.assertEqual([raised.exception.code, raised.exception.command_ran], ["timeout", "maybe"])

    async def test_no_server(self) -> None:
        await self.service.close()
        with self.assertRaises(Unavailable) as raised:
            await self.connect().__aenter__()
        self.assertEqual([raised.exception.code, raised.exception.command_ran], ["unreachable", "no"])


def _quick() -> Any:
    return {**(_session.Session.request.__kwdefaults__ or {}), "timeout": 0.2}


class ConnectionTest(Case):
    async def test_requests_share_a_connection(self) -> None:
        async with self.connect() as robot:
            for _ in range(20):
                await robot.commands()
        self.assertEqual(self.service.connections, 1)

    async def test_a_chunked_answer_is_put_together_and_keeps_the_connection(self) -> None:
        async def reply(_request: Request) -> Reply:
            return 200, {"ok": True, "result": 1}

        self.service.on("POST /api/v2/commands/get_pose/", reply)
        chunked = b'7;x=y\r\n{"ok":t\r\n12\r\nrue,"result":[1,2]\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n'
        with mock.patch("fake_service.rendered", lambda _: OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunked):
            robot = self.connect()
            with self.assertRaises(Unavailable):  # the token has come in the same form
                await robot.__aenter__()
        async with self.connect() as robot:
            before = self.service.connections
            with mock.patch("fake_service.rendered", lambda _: OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunked):
                self.assertEqual((await robot.get_pose()).result, [1, 2])
                self.assertEqual((await robot.get_pose()).result, [1, 2])
            self.assertEqual(self.service.connections, before)

    async def test_what_reads_is_sent_again_when_a_kept_connection_was_closed(self) -> None:
        async with self.connect() as robot:
            await self._close_at_next_request()
            self.assertEqual(len(await robot.commands()), 1)

    async def test_what_moves_the_robot_is_never_sent_twice(self) -> None:
        async with self.connect() as robot:
            self.service.on("POST /api/v2/commands/get_pose/", b"")
            before = len(self.service.requests)
            with self.assertRaises(Unavailable) as raised:
                await robot.get_pose()
            self.assertEqual([raised.exception.code, raised.exception.command_ran], ["connection_lost", "maybe"])
            self.assertEqual(len(self.service.requests) - before, 1)

    async def test_unsolicited_data_is_not_taken_for_a_response(self) -> None:
        async with self.connect() as robot:
            for writer in list(self.service._writers):
                writer.write(OK + b'Content-Length: 29\r\n\r\n{"commands":[{"name":"evil"}]}')
                await writer.drain()
            await asyncio.sleep(0.05)
            self.assertEqual([command.name for command in await robot.commands()], ["get_pose"])

    async def test_a_cancelled_request_leaves_nothing_open(self) -> None:
        holding = Holding((200, {"ok": True, "result": None}))
        self.service.on("POST /api/v2/commands/get_pose/", holding)
        async with self.connect() as robot:
            task = asyncio.ensure_future(robot.get_pose())
            await holding.asked.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            holding.release.set()
            self.assertEqual(len(await robot.commands()), 1)
            self.assertEqual(robot._session.pool._busy, set())

    async def test_a_full_pool_makes_others_wait_and_not_a_stop(self) -> None:
        holding = Holding((200, {"ok": True, "result": None}))
        self.service.on("POST /api/v2/commands/get_pose/", holding)
        self.service.on("POST /api/v2/stop", (200, {"stopped": True}))
        with mock.patch.object(_pool, "MAX_BUSY", 2):
            async with self.connect() as robot:
                tasks: List[Any] = [asyncio.ensure_future(robot.get_pose()) for _ in range(3)]
                await holding.asked.wait()
                self.assertTrue((await asyncio.wait_for(robot.stop(), 10)).stopped)
                self.assertEqual(self.service.count("POST /api/v2/commands/get_pose/"), 2)
                holding.release.set()
                await asyncio.gather(*tasks)

    async def _close_at_next_request(self) -> None:
        route = "GET /api/v2/commands/"
        usual = self.service.handlers[route]

        async def close(_request: Request) -> Reply:
            self.service.on(route, usual)
            return b""

        self.service.on(route, close)


if __name__ == "__main__":
    unittest.main()
