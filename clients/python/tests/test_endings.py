"""A wait ended by somebody else, by a stop for instance, raises Stopped; one ended by this program raises Declined."""

import asyncio
import unittest
from typing import Any

from fake_service import Holding, problem
from robot_rest import Declined, LeaseLost, RobotRestError, Stopped, Unavailable
from test_control import LEASE, ControlTest

CANCELLED = {"awaited": False, "start_result": {"started": True, "msg": "Mission started"}, "msg": "Mission cancelled"}
ENDED = (200, {"ok": False, "result": CANCELLED})
STARTED = (200, {"ok": True, "result": {"called": True, "msg": "m1"}})


class EndingTest(ControlTest):
    def on(self, command: str, reply: Any) -> None:
        self.service.on(f"POST /api/v2/commands/{command}/", reply)

    async def begin(self) -> Any:
        """Starts a drive and a wait for it, which is answered when the test says so."""
        self.on("go_to_relative", STARTED)
        self.waiting = Holding(ENDED)
        self.on("wait_for_skill", self.waiting)
        drive = self.robot.mission(await self.robot.command("go_to_relative", x=1))
        wait = asyncio.ensure_future(drive.completed())
        await asyncio.wait_for(self.waiting.asked.wait(), 20)
        return drive, wait

    async def test_a_stop_or_cancellation_by_another_client_is_stopped(self) -> None:
        _drive, wait = await self.begin()
        self.waiting.release.set()
        with self.assertRaises(Stopped) as raised:
            await wait
        self.assertEqual(raised.exception.code, "stopped")
        self.on("wait_for_skill_started", (200, {"ok": False, "result": {"started": False, "msg": "Mission cancelled"}}))
        with self.assertRaises(Stopped):
            await self.robot.mission("m2").started()

    async def test_a_stop_by_this_program_is_stopped_whatever_the_robot_calls_it(self) -> None:
        _drive, wait = await self.begin()
        self.waiting._reply = (200, {"ok": False, "result": {**CANCELLED, "msg": "Aborted"}})
        self.service.on("POST /api/v2/stop", (200, {"stopped": True}))
        await self.robot.stop()
        self.waiting.release.set()
        with self.assertRaises(Stopped):
            await wait

    async def test_a_failure_is_declined(self) -> None:
        _drive, wait = await self.begin()
        self.waiting._reply = (200, {"ok": False, "result": {**CANCELLED, "msg": "No path"}})
        self.waiting.release.set()
        with self.assertRaises(Declined):
            await wait

    async def test_a_cancellation_by_this_program_is_declined_even_if_the_wait_ends_first(self) -> None:
        for command, value in (("cancel_skill", "m1"), ("cancel_client_missions", None)):
            cancelling = Holding((200, {"ok": True, "result": {"cancelled": True, "msg": ""}}))
            self.on(command, cancelling)
            _drive, wait = await self.begin()
            cancel = asyncio.ensure_future(self.robot.command(command, value))
            await asyncio.wait_for(cancelling.asked.wait(), 20)
            self.waiting.release.set()
            await asyncio.sleep(0.1)
            cancelling.release.set()
            with self.subTest(command), self.assertRaises(Declined):
                await wait
            await cancel

    async def test_a_cancellation_that_came_too_late_has_not_ended_it(self) -> None:
        self.on("cancel_skill", (200, {"ok": False, "result": {"cancelled": False, "msg": "Mission not found"}}))
        drive, wait = await self.begin()
        self.assertFalse(await drive.cancel())
        self.waiting.release.set()
        with self.assertRaises(Stopped):
            await wait

    async def test_a_drive_replaced_by_this_program_is_declined(self) -> None:
        _drive, wait = await self.begin()
        self.on("go_to_relative", (200, {"ok": True, "result": {"called": True, "msg": "m2"}, "replaced": True}))
        await self.robot.command("go_to_relative", x=2)
        self.waiting.release.set()
        with self.assertRaises(Declined):
            await wait

    async def test_under_a_lease_that_was_taken_it_is_lost(self) -> None:
        async with self.robot.lease(ttl=60) as lease:
            _drive, wait = await self.begin()
            self.service.keep = (410, problem("lease_lost"))
            self.waiting.release.set()
            with self.assertRaises(LeaseLost):
                await wait
            self.assertTrue(lease.lost.is_set())

    async def test_under_a_lease_that_is_held_it_is_a_stop(self) -> None:
        async with self.robot.lease(ttl=60) as lease:
            _drive, wait = await self.begin()
            self.waiting.release.set()
            with self.assertRaises(Stopped):
                await wait
            self.assertFalse(lease.lost.is_set())
            self.assertEqual(self.service.keep, (200, LEASE))


class LostTest(ControlTest):
    """``lease.lost`` is already set when the error is raised."""

    async def test_a_lease_that_has_run_out(self) -> None:
        async with self.robot.lease(ttl=60) as lease:
            lease._kept_at -= 61
            with self.assertRaises(LeaseLost):
                await self.robot.get_pose()
            self.assertTrue(lease.lost.is_set())

    async def test_a_token_that_is_refused(self) -> None:
        for ask in (self.robot.get_pose, self.robot.commands):
            async with self.robot.lease(ttl=60) as lease:
                self.service.on("POST /api/v2/commands/get_pose/", (401, problem("key_revoked")))
                self.service.on("GET /api/v2/commands/", (401, problem("key_revoked")))
                with self.assertRaises(RobotRestError):
                    await ask()
                self.assertTrue(lease.lost.is_set())


class SilenceTest(ControlTest):
    async def test_an_unconfirmed_zero_is_reported_even_if_the_lease_is_lost_here(self) -> None:
        with self.assertRaises(RobotRestError) as raised:
            async with self.robot.lease(ttl=60) as lease, lease.jog() as jog:
                jog.set_velocity(vx=0.2)
                await self.until("it moves", lambda: self.service.speeds()[-1] == 0.2)
                self.service.refusal = b""
                lease._lose()
        self.assertIsInstance(raised.exception, Unavailable)
        self.assertIn("stands still", raised.exception.detail)

    async def test_a_lost_lease_confirms_zero_if_the_service_says_so(self) -> None:
        async with self.robot.lease(ttl=60) as lease, lease.jog() as jog:
            jog.set_velocity(vx=0.2)
            await self.until("it moves", lambda: self.service.speeds()[-1] == 0.2)
            self.service.refusal = (410, problem("lease_lost"))
            lease._lose()
        self.assertEqual(self.service.speeds()[-1], 0)

    async def test_a_dead_service_is_noticed_long_before_the_lease_lapses(self) -> None:
        usual = self.service.handlers["POST /api/v2/jog/"]
        for silence in (b"", None):
            self.service.on("POST /api/v2/jog/", usual)
            async with self.robot.lease(ttl=60) as lease:
                with self.subTest(silence), self.assertRaises(RobotRestError) as raised:
                    async with lease.jog(deadline=1.0) as jog:
                        self.service.on("POST /api/v2/jog/", silence)
                        for _ in range(1000):  # ten times as long as it may take
                            jog.set_velocity(vx=0.2)
                            await asyncio.sleep(0.01)
                self.assertIsInstance(raised.exception, Unavailable)
                self.assertIn("No velocity was accepted for 1 s", raised.exception.detail)


if __name__ == "__main__":
    unittest.main()
