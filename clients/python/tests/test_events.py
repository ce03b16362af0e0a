"""Events arrive in order and without duplicates, over as many connections as it takes."""

import asyncio
import unittest
from typing import Any, AsyncGenerator, List

from async_case import AsyncCase
from fake_service import FakeService, Reply, Request, problem
from robot_rest import AccessError, AuthError, Event, Gap, Unavailable, connect
from robot_rest._sse import SseParser

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def event(n: int, topic: str = "missions.started") -> bytes:
    data = f'{{"id":"b-{n}","type":"robot.{topic}","time":"2027-03-01T12:00:00.000Z","subject":"m","data":{{"n":{n}}}}}'
    return f"id: b-{n}\ndata: {data}\n\n".encode()


class ParserTest(unittest.TestCase):
    def test_every_cut_gives_the_same_messages(self) -> None:
        text = ": hello\n\nid: 1\nevent: a\ndata: {\r\ndata:  ü}\n\ndata\n\nid: 2\n\ndata: x\nretry: 5\nnonsense\n\n".encode()
        expected = SseParser().feed(text)
        self.assertEqual([(m.event, m.id, m.data) for m in expected], [("a", "1", "{\n ü}"), ("message", None, ""), ("message", None, "x")])
        for size in range(1, len(text)):
            parser = SseParser()
            parts = [text[start : start + size] for start in range(0, len(text), size)]
            self.assertEqual([m for part in parts for m in parser.feed(part)], expected)

    def test_endless_events_are_refused(self) -> None:
        for piece in (b"x" * 65_536, b"data: " + b"x" * 65_530 + b"\n"):
            parser = SseParser()
            with self.assertRaises(Unavailable):
                for _ in range(100):
                    parser.feed(piece)
        with self.assertRaises(Unavailable):
            SseParser().feed(b"data: \xff\n")


class EventsTest(AsyncCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.service = await FakeService().start()
        #: What each connection brings before it is cut.
        self.streams: List[Reply] = []
        self.service.on("GET /api/v2/events", self._next)

    async def asyncTearDown(self) -> None:
        await self.service.close()

    async def _next(self, _request: Request) -> Reply:
        return self.streams.pop(0) if self.streams else None

    async def take(self, events: AsyncGenerator[Event, None], count: int) -> List[Event]:
        taken = []
        async for each in events:
            taken.append(each)
            if len(taken) == count:
                break
        await events.aclose()
        return taken

    async def test_it_reconnects_after_the_last_event_that_was_complete(self) -> None:
        snapshot = b'id: b-3\nevent: snapshot\ndata: {"topic":"missions","data":{"missions":[]}}\n\n'
        subscribed = b'event: subscribed\ndata: {"topics":["missions"],"position":"b-99"}\n\n'
        half = event(6)[:-1]
        self.streams = [STREAM + subscribed + snapshot + event(4) + event(5) + half, b"", (503, problem("component_unavailable")), STREAM + event(6) + event(7)]
        async with connect(self.service.url, key="rk_x") as robot:
            events = await self.take(robot.events("missions"), 5)
        self.assertEqual([each.id for each in events], ["b-3", "b-4", "b-5", "b-6", "b-7"])
        self.assertEqual([events[0].type, events[0].topic, events[0].data], ["snapshot", "missions", {"missions": []}])
        self.assertEqual([events[1].topic, events[1].data, events[1].subject], ["missions", {"n": 4}, "m"])
        self.assertEqual(str(events[1].time), "2027-03-01 12:00:00+00:00")
        asked = [r.headers.get("last-event-id") for r in self.service.requests if r.path.startswith("/api/v2/events")]
        self.assertEqual(asked, [None, "b-5", "b-5", "b-5"])

    async def test_a_gap_is_an_event(self) -> None:
        gap = b'event: gap\ndata: {"from":null,"to":"c-2","topics":["missions","alerts"]}\n\n'
        self.streams = [STREAM + gap]
        async with connect(self.service.url, key="rk_x") as robot:
            (found,) = await self.take(robot.events("missions", "alerts", after="b-1"), 1)
        self.assertIsInstance(found, Gap)
        assert isinstance(found, Gap)
        self.assertEqual([found.topics, found.from_id, found.to_id], [("missions", "alerts"), None, "c-2"])

    async def test_refusals_end_it(self) -> None:
        cases: "list[tuple[Reply, type]]" = [
            ((403, problem("insufficient_access")), AccessError),
            ((503, problem("component_unavailable")), Unavailable),
            (STREAM + b"data: nonsense\n\n", Unavailable),
        ]
        async with connect(self.service.url, key="rk_x") as robot:
            for reply, error in cases[:2]:
                self.streams = [reply]
                with self.assertRaises(error):
                    await self.take(robot.events("audit"), 1)
            self.service.on("GET /api/v2/auth/", (401, problem("api_key_invalid")))
            self.streams = [(401, problem("key_revoked"))]
            with self.assertRaises(AuthError):
                await self.take(robot.events("missions"), 1)
        with self.assertRaises(ValueError):
            robot.events()

    async def test_a_token_that_has_ended_is_replaced(self) -> None:
        self.streams = [STREAM + event(1), (401, problem("token_expired")), STREAM + event(2)]
        async with connect(self.service.url, key="rk_x") as robot:
            events = await self.take(robot.events("missions"), 2)
        self.assertEqual([each.id for each in events], ["b-1", "b-2"])

    async def test_a_loop_that_is_left_closes_its_connection(self) -> None:
        self.streams = [STREAM + event(1) + event(2)]
        async with connect(self.service.url, key="rk_x") as robot:
            async for _ in robot.events("missions"):
                break
            end = asyncio.get_running_loop().time() + 20
            while robot._session.pool._busy:
                self.assertLess(asyncio.get_running_loop().time(), end)
                await asyncio.sleep(0.02)

    async def test_closing_the_client_ends_a_loop_that_waits(self) -> None:
        async with connect(self.service.url, key="rk_x") as robot:
            waiting: "asyncio.Task[Any]" = asyncio.ensure_future(self.take(robot.events("missions"), 1))
            await asyncio.sleep(0.1)
        with self.assertRaises(Unavailable):
            await asyncio.wait_for(waiting, 20)

    async def test_followed_logs_say_where_entries_may_be_missing(self) -> None:
        entry = b'id: b-1\ndata: {"id":"b-1","type":"robot.logs.written","subject":"head/nav.service","data":{"timestamp":"2026-05-04T10:20:30.123456Z","priority":6,"pid":1,"message":"hello"}}\n\n'
        gap = b'event: gap\ndata: {"from":null,"to":"c-2","topics":["logs/head/nav.service"]}\n\n'
        self.streams = [STREAM + entry, STREAM + gap]
        async with connect(self.service.url, key="rk_x") as robot:
            logs = robot.logs("head", "nav.service", follow=True)
            found = [await logs.__anext__(), await logs.__anext__()]
            await logs.aclose()
        self.assertEqual([(entry.message, entry.gap) for entry in found], [("hello", False), ("(entries may be missing here)", True)])
        self.assertEqual(self.service.requests[-1].path.split("=")[1], "logs%2Fhead%2Fnav.service")


if __name__ == "__main__":
    unittest.main()
