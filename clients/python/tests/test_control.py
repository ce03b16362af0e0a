"""The lease renews itself and says when it is lost; a jog ends with zero and never restarts by itself."""

import asyncio
import time
import unittest
from typing import Any, Dict, List, Optional

from async_case import AsyncCase
from fake_service import FakeService, Reply, Request, problem
from robot_rest import LeaseHeld, LeaseLost, RobotClient, Stopped, Unavailable, connect

LEASE: Dict[str, Any] = {"lease_id": "L1", "generation": 7, "ttl_ms": 2000}


class ControlledRobot(FakeService):
    """A fake service with a lease and jog."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: List[Dict[str, Any]] = []
        self.refusal: Optional[Reply] = None
        self.keep: Reply = (200, LEASE)
        self.on("POST /api/v2/lease/", (200, LEASE))
        self.on("DELETE /api/v2/lease/L1", (200, {"released": True}))
        self.on("PUT /api/v2/lease/L1", self._keep)
        self.on("POST /api/v2/jog/", self._jog)
        self.on("POST /api/v2/commands/get_pose/", (200, {"ok": True, "result": {}}))

    async def _keep(self, _request: Request) -> Reply:
        return self.keep

    async def _jog(self, request: Request) -> Reply:
        frame = request.json()
        self.frames.append(frame)
        stamp = f"stamp-{len(self.frames)}"
        if isinstance(self.refusal, tuple):
            return self.refusal[0], {**self.refusal[1], "seq": frame["seq"], "stamp": stamp}
        return self.refusal if self.refusal is not None else (200, {"seq": frame["seq"], "stamp": stamp})

    def speeds(self) -> List[float]:
        return [frame["vx"] for frame in self.frames]


class ControlTest(AsyncCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.service = ControlledRobot()
        await self.service.start()
        self.robot: RobotClient = connect(self.service.url, key="rk_x")
        await self.robot.__aenter__()

    async def asyncTearDown(self) -> None:
        await self.robot.close()
        await self.service.close()

    async def until(self, what: str, holds: Any) -> None:
        end = time.monotonic() + 20
        while not holds():
            self.assertLess(time.monotonic(), end, f"waited in vain until {what}")
            await asyncio.sleep(0.01)


class LeaseTest(ControlTest):
    async def test_commands_carry_it_and_it_is_kept_and_returned(self) -> None:
        async with self.robot.lease(ttl=0.5) as lease:
            await self.robot.get_pose()
            self.assertEqual(self.service.requests[-1].headers["lease"], "L1")
            await self.until("it is kept", lambda: self.service.count("PUT /api/v2/lease/L1") > 5)
            self.assertFalse(lease.lost.is_set())
        self.assertEqual(self.service.count("DELETE /api/v2/lease/L1"), 1)
        await self.robot.get_pose()
        self.assertNotIn("lease", self.service.requests[-1].headers)
        with self.assertRaises(LeaseLost):
            lease.id

    async def test_an_exception_lets_it_lapse_soon(self) -> None:
        with self.assertRaises(KeyError):
            async with self.robot.lease(ttl=60):
                raise KeyError
        self.assertEqual(self.service.count("DELETE /api/v2/lease/L1"), 0)
        self.assertEqual(self.service.requests[-1].json()["ttl_ms"], 500)

    async def test_it_is_lost_when_the_service_says_so(self) -> None:
        for refused in ((410, problem("lease_lost")), (401, problem("key_revoked")), (200, {**LEASE, "lease_id": "L2"})):
            self.service.keep = (200, LEASE)
            with self.subTest(str(refused)):
                async with self.robot.lease(ttl=0.5) as lease:
                    self.service.keep = refused
                    await asyncio.wait_for(lease.lost.wait(), 20)
                    with self.assertRaises(LeaseLost) as raised:
                        await self.robot.get_pose()
                    self.assertEqual(raised.exception.command_ran, "no")
        self.assertEqual(self.service.count("DELETE /api/v2/lease/L2"), 1)  # revived: somebody else may have it

    async def test_it_is_lost_when_the_service_goes_silent(self) -> None:
        async with self.robot.lease(ttl=0.5) as lease:
            self.service.keep = None
            await asyncio.wait_for(lease.lost.wait(), 20)

    async def test_a_command_that_is_told_so_loses_it(self) -> None:
        async with self.robot.lease(ttl=60) as lease:
            self.service.on("POST /api/v2/commands/get_pose/", (410, problem("lease_lost")))
            with self.assertRaises(LeaseLost):
                await self.robot.get_pose()
            self.assertTrue(lease.lost.is_set())

    async def test_somebody_else_holds_it(self) -> None:
        self.service.on("POST /api/v2/lease/", (409, problem("lease_held", holder={"username": "anna"})))
        with self.assertRaises(LeaseHeld) as raised:
            async with self.robot.lease():
                self.fail("it is held")
        self.assertEqual(raised.exception.holder, {"username": "anna"})
        await self.robot.get_pose()

    async def test_one_that_is_taken_before_the_robot_has_stopped_says_so(self) -> None:
        reply = problem("robot_timeout", stop_confirmed=False, **LEASE)
        self.service.on("POST /api/v2/lease/take", (504, reply))
        async with self.robot.lease(take=True, reason="somebody is in the way") as lease:
            self.assertFalse(lease.stop_confirmed)
        self.service.on("POST /api/v2/lease/take", (503, problem("component_unavailable")))
        with self.assertRaises(Unavailable):
            async with self.robot.lease(take=True, reason="again"):
                self.fail("it was not given")

    async def test_invalid_arguments(self) -> None:
        for wrong in ({"ttl": 0.1}, {"ttl": 61}, {"ttl": float("nan")}, {"take": True}):
            with self.assertRaises(ValueError):
                self.robot.lease(**wrong)
        async with self.robot.lease():
            with self.assertRaises(RuntimeError):
                await self.robot.lease().__aenter__()


class JogTest(ControlTest):
    async def test_it_repeats_the_velocity_with_the_newest_stamp_and_ends_with_zero(self) -> None:
        async with self.robot.lease() as lease:
            async with lease.jog() as jog:
                jog.set_velocity(vx=0.2)
                await self.until("it is repeated", lambda: self.service.speeds().count(0.2) >= 3)
            async with lease.jog():
                pass
        first, *rest = self.service.frames
        self.assertEqual([first["vx"], "stamp" in first, first["lease"], first["deadline_ms"]], [0, False, "L1", 300])
        for before, frame in zip(self.service.frames, rest):
            self.assertGreater(frame["seq"], before["seq"])
        moving = [frame for frame in rest if frame["vx"]]
        self.assertTrue(all(frame["stamp"] == f"stamp-{self.service.frames.index(frame)}" for frame in moving))
        self.assertEqual(self.service.speeds()[-1], 0)

    async def test_an_exception_or_a_cancellation_ends_it_with_zero(self) -> None:
        async def drive(error: Optional[Exception]) -> None:
            async with self.robot.lease() as lease, lease.jog() as jog:
                jog.set_velocity(vx=0.2)
                await self.until("it moves", lambda: self.service.speeds()[-1] == 0.2)
                if error:
                    raise error
                await asyncio.sleep(60)

        with self.assertRaises(KeyError):
            await drive(KeyError())
        self.assertEqual(self.service.speeds()[-1], 0)
        task = asyncio.ensure_future(drive(None))
        await self.until("it moves", lambda: self.service.speeds()[-1] == 0.2)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(self.service.speeds()[-1], 0)

    async def test_after_a_stop_nothing_moves_until_the_program_has_set_zero(self) -> None:
        async with self.robot.lease() as lease, lease.jog() as jog:
            jog.set_velocity(vx=0.2)
            await self.until("it moves", lambda: self.service.speeds()[-1] == 0.2)
            self.service.refusal = (409, problem("stopped"))
            await self.until("it is refused", lambda: jog._error is not None)
            self.service.refusal = None
            sent = len(self.service.frames)
            for _ in range(2):
                with self.assertRaises(Stopped):
                    jog.set_velocity(vx=0.2)
            await asyncio.sleep(0.3)
            self.assertEqual(len(self.service.frames), sent)  # not even zero, which would let go of the stick
            jog.set_velocity()
            await self.until("the stick was let go", lambda: len(self.service.frames) > sent)
            self.assertEqual(self.service.speeds()[-1], 0)
            jog.set_velocity(vx=0.1)
            await self.until("it moves again", lambda: self.service.speeds()[-1] == 0.1)

    async def test_a_stop_that_the_program_has_not_noticed_is_raised_at_the_end(self) -> None:
        with self.assertRaises(Stopped):
            async with self.robot.lease() as lease, lease.jog() as jog:
                jog.set_velocity(vx=0.2)
                self.service.refusal = (409, problem("stopped"))
                await self.until("it is refused", lambda: jog._error is not None)

    async def test_losing_the_lease_during_a_jog_ends_it_for_good(self) -> None:
        async with self.robot.lease() as lease:
            with self.assertRaises(LeaseLost):
                async with lease.jog() as jog:
                    jog.set_velocity(vx=0.2)
                    self.service.refusal = (410, problem("lease_lost"))
                    await asyncio.wait_for(lease.lost.wait(), 20)
                    self.service.refusal = None
                    sent = len(self.service.frames)
                    for velocity in (0.2, 0.0):
                        with self.assertRaises(LeaseLost):
                            jog.set_velocity(velocity)
                    await asyncio.sleep(0.2)
                    self.assertEqual(len(self.service.frames), sent)
                    held = jog
                held.set_velocity(0.1)

    async def test_old_stamps_and_short_delays_do_not_end_it(self) -> None:
        async with self.robot.lease() as lease, lease.jog() as jog:
            jog.set_velocity(vx=0.2)
            for passing in ((412, problem("precondition_failed")), (409, problem("busy")), b""):
                self.service.refusal = passing
                sent = len(self.service.frames)
                await self.until("it is refused", lambda: len(self.service.frames) > sent + 1)
                self.service.refusal = None
                sent = len(self.service.frames)
                await self.until("it moves", lambda: len(self.service.frames) > sent + 1)
                self.assertEqual(self.service.speeds()[-1], 0.2)

    async def test_an_unconfirmed_zero_is_reported(self) -> None:
        with self.assertRaises(Unavailable):
            async with self.robot.lease() as lease, lease.jog() as jog:
                jog.set_velocity(vx=0.2)
                await self.until("it moves", lambda: self.service.speeds()[-1] == 0.2)
                self.service.refusal = b""

    async def test_a_service_or_robot_without_jog(self) -> None:
        async with self.robot.lease() as lease:
            for refused in ((503, problem("component_unavailable")), (404, problem("not_found"))):
                self.service.on("POST /api/v2/jog/", refused)
                with self.assertRaises(Unavailable) as raised:
                    await lease.jog().__aenter__()
                self.assertEqual(raised.exception.code, "component_unavailable")

    async def test_an_invalid_velocity_stops_the_robot(self) -> None:
        async with self.robot.lease() as lease, lease.jog() as jog:
            jog.set_velocity(vx=0.2)
            for wrong in (float("nan"), float("inf")):
                with self.assertRaises(ValueError):
                    jog.set_velocity(vx=wrong)
            await self.until("it stands", lambda: self.service.speeds()[-1] == 0)
            jog.set_velocity()


if __name__ == "__main__":
    unittest.main()
