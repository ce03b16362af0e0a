"""Takes one skill through its whole life with aiohttp: skill_client.py BASE_URL TOKEN. Prints one JSON line a step."""

import asyncio
import json
import sys

import aiohttp

SOURCE = b'@skill(access_level="USER")\ndef hello():\n    """Say hello."""\n'


async def main(base: str, token: str) -> None:
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as session:

        async def step(name: str, method: str, path: str, **more) -> None:
            async with session.request(method, f"{base}/skill/{path}", **more) as answer:
                body = await answer.text() if answer.content_type == "text/x-python" else await answer.json()
                print(json.dumps({"step": name, "status": answer.status, "body": body}))

        form = aiohttp.FormData()
        form.add_field("skill", SOURCE, filename="disabled.by_python.py", content_type="text/x-python")
        await step("upload", "POST", "upload/", data=form)
        await step("enable", "PATCH", "enable/", json={"command": "by_python", "value": True})
        await step("rename", "PATCH", "rename/", json={"old_name": "by_python.py", "new_name": "renamed"})
        await step("download", "GET", "download/renamed")
        await step("list", "GET", "list/")
        await step("remove", "DELETE", "remove/", params={"skill_name": "renamed.py"})
        await step("gone", "GET", "download/renamed")


asyncio.run(main(sys.argv[1], sys.argv[2]))
