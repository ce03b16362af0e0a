"""A stop is sent to the service and the guard in parallel, and waits for nothing else."""

import asyncio
import os
import tempfile
import unittest
from typing import Dict, List

from async_case import AsyncCase
from fake_service import FakeService, Holding, Reply, Request, problem
from robot_rest import Stopped, Unavailable, connect
from robot_rest._address import address_of
from robot_rest._stop import guard_address

STOP = "POST /api/v2/stop"
CONFIRMED = {"stopped": True, "fenced": True, "runs_stopped": ["r1"]}


class StopTest(AsyncCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.service = await FakeService().start()
        self.guard = await FakeService().start()
        self.service.stop_ports = {"port": self.guard.port, "tls_port": None, "socket": None}

    async def asyncTearDown(self) -> None:
        await self.service.close()
        await self.guard.close()

    async def test_the_first_confirmation_counts_and_the_other_stop_is_sent_all_the_same(self) -> None:
        holding = Holding((200, {"stopped": True}))
        for slow, quick in ((self.service, self.guard), (self.guard, self.service)):
            slow.on(STOP, holding)
            quick.on(STOP, (200, CONFIRMED))
            sent = slow.count(STOP)
            async with connect(self.service.url, key="rk_x") as robot:
                stop = await robot.stop()
                self.assertEqual([stop.stopped, stop.fenced, stop.runs_stopped], [True, True, ("r1",)])
                await holding.asked.wait()
                self.assertEqual(slow.count(STOP), sent + 1)
                holding.release.set()
            self.assertNotEqual(quick.requests[-1].token, "")
            holding.release.clear()
            holding.asked.clear()

    async def test_one_that_fails_does_not_hide_the_one_that_confirms(self) -> None:
        for failing in ((504, problem("robot_timeout")), b"", b"nonsense\r\n\r\n", (200, {"stopped": False})):
            self.service.on(STOP, failing)
            self.guard.on(STOP, (200, CONFIRMED))
            async with connect(self.service.url, key="rk_x") as robot:
                self.assertTrue((await robot.stop()).stopped)

    async def test_only_a_confirmation_is_success(self) -> None:
        self.guard.on(STOP, (502, problem("robot_error")))
        for answer in ((504, problem("robot_timeout")), (200, {"stopped": "true"}), (200, {}), b""):
            self.service.on(STOP, answer)
            async with connect(self.service.url, key="rk_x") as robot:
                with self.assertRaises(Unavailable):
                    await robot.stop()

    async def test_a_lost_connection_or_token_makes_it_try_once_more(self) -> None:
        replies: Dict[str, Reply] = {"connection": b"", "token": (401, problem("key_revoked"))}
        left: List[Reply] = []

        async def answer(_request: Request) -> Reply:
            return left.pop() if left else (200, CONFIRMED)

        for what, first in replies.items():
            left.append(first)

            self.service.on(STOP, answer)
            self.guard.on(STOP, (502, problem("robot_error")))
            async with connect(self.service.url, key="rk_x") as robot:
                with self.subTest(what):
                    self.assertTrue((await robot.stop()).stopped)

    async def test_it_does_not_wait_for_a_token_that_is_being_fetched(self) -> None:
        self.service.on(STOP, (200, CONFIRMED))
        async with connect(self.service.url, key="rk_x") as robot:
            holding = Holding((200, self.service.token_answer("client")))
            self.service.on("GET /api/v2/auth/", holding)
            self.service.on("GET /api/v2/commands/", (401, problem("token_expired")))
            asking = asyncio.ensure_future(robot.commands())
            await holding.asked.wait()
            self.assertTrue((await robot.stop()).stopped)
            asking.cancel()

    async def test_the_guard_of_a_socket_is_a_socket(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s.sock")
            service, guard = await FakeService().start(path), await FakeService().start(path + ".stop")
            service.stop_ports = {"port": 1, "tls_port": None, "socket": path + ".stop"}
            guard.on(STOP, (200, CONFIRMED))
            async with connect(socket=path) as robot:
                self.assertTrue((await robot.stop()).stopped)
            self.assertEqual(guard.count(STOP), 1)
            await service.close()
            await guard.close()

    def test_where_the_guard_is(self) -> None:
        stop = {"port": 8002, "tls_port": 8445, "socket": "/run/x.stop"}
        cases = {
            "http://robot:8000": "http://robot:8002",
            "https://robot:8443": "https://robot:8445",
            "https://proxy/robot-7/rest": None,
        }
        for url, where in cases.items():
            found = guard_address(address_of(url, None, None, None), stop)
            self.assertEqual(None if found is None else str(found), where)
        for nothing in (None, {}, {"port": "8002"}, {"port": 99_999}, "x"):
            self.assertIsNone(guard_address(address_of("http://robot:8000", None, None, None), nothing))


SAFETY = 'id: b-1\nevent: snapshot\ndata: {"topic":"safety","data":null}\n\n'
STOP_EVENT = 'id: b-%d\ndata: {"id":"b-%d","type":"robot.safety.stop_requested","data":{}}\n\n'
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


class SleepTest(AsyncCase):
    async def test_a_stop_ends_a_sleep_and_one_in_between_the_next_one(self) -> None:
        service = await FakeService().start()
        more = asyncio.Event()

        async def events(request: Request) -> Reply:
            if "last-event-id" in request.headers:
                await more.wait()
                more.clear()
                return STREAM + (STOP_EVENT % (2, 2)).encode()
            return STREAM + SAFETY.encode()

        service.on("GET /api/v2/events", events)
        async with connect(service.url, key="rk_x") as robot:
            await robot.sleep(0)
            asyncio.get_running_loop().call_later(0.1, more.set)
            with self.assertRaises(Stopped):
                await robot.sleep(60)
            await robot.sleep(0)
        await service.close()

    async def test_after_a_gap_the_last_event_decides(self) -> None:
        service = await FakeService().start()
        gap = 'event: gap\ndata: {"from":null,"to":"c-9","topics":["safety"]}\n\n'
        last = 'id: c-9\nevent: snapshot\ndata: {"topic":"safety","data":{"type":"robot.safety.stop_confirmed"}}\n\n'

        async def events(request: Request) -> Reply:
            return STREAM + ((gap + last) if "last-event-id" in request.headers else SAFETY).encode()

        service.on("GET /api/v2/events", events)
        async with connect(service.url, key="rk_x") as robot:
            with self.assertRaises(Stopped):
                await robot.sleep(60)
        await service.close()


if __name__ == "__main__":
    unittest.main()
