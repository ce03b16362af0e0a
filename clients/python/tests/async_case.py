"""What the asynchronous tests have in common."""

import asyncio
import unittest


class AsyncCase(unittest.IsolatedAsyncioTestCase):
    """Without asyncio's debug mode, which unittest turns on and which is ten times slower."""

    async def asyncSetUp(self) -> None:
        asyncio.get_running_loop().set_debug(False)
