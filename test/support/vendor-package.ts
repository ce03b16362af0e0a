import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from './processes.ts';
import { PYTHON } from './skill-service.ts';
import { temporaryFolder } from './world.ts';

/** A stand-in for the vendor's package: its names, its addresses, and as much of its client as a test needs. */
const FILES: Readonly<Record<string, string>> = {
  '__init__.py': '',
  'enums/__init__.py': 'from .enums import AccessLevel\n',
  'enums/enums.py': 'import enum\nclass AccessLevel(enum.Enum):\n    USER = "USER"\n    ADMIN = "ADMIN"\n',
  'decorators/__init__.py': '',
  'decorators/skill.py': `import functools
def skill(access_level=None, verbal_descriptions=None, **others):
    def decorate(function):
        @functools.wraps(function)
        async def wrapped(*args, **named):
            return await function(*args, **named)
        wrapped.skill_info = {"access_level": access_level, "verbal_descriptions": verbal_descriptions}
        return wrapped
    return decorate
`,
  'robot.py': `import asyncio, base64, contextlib, http.client, json, os, socket
class Local(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect("/tmp/rest_api.sock")
class Robot:
    def __init__(self, ip):
        self.ip = ip
        self.token = self.ask("GET", "/api/v1/auth/")["token"]
    def ask(self, method, path, body=None):
        connection = Local("localhost")
        headers = {"content-type": "application/json"}
        if hasattr(self, "token"):
            headers["authorization"] = "Bearer " + self.token
        connection.request(method, path, body and json.dumps(body), headers)
        return json.loads(connection.getresponse().read())
    async def get_language(self):
        return self.ask("GET", "/api/v1/get/get_language")["result"]
    async def topic(self, name):
        reader, writer = await asyncio.open_connection(self.ip, 8001)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write((f"GET /?token={self.token} HTTP/1.1\\r\\nHost: {self.ip}:8001\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n"
            f"Sec-WebSocket-Key: {key}\\r\\nSec-WebSocket-Version: 13\\r\\n\\r\\n").encode())
        head = await reader.readuntil(b"\\r\\n\\r\\n")
        assert head.startswith(b"HTTP/1.1 101 "), head
        text = json.dumps({"action": "subscribe", "topic": name}).encode()
        writer.write(bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text) # masked with zeros
        while True:
            kind, size = await reader.readexactly(2)
            size = int.from_bytes(await reader.readexactly(2), "big") if size == 126 else size
            data = await reader.readexactly(size)
            if kind == 0x81 and json.loads(data)["name"] == name:
                writer.close()
                return json.loads(data)["data"]
@contextlib.asynccontextmanager
async def connect(api_key, ip):
    yield Robot(ip)
`,
};

/** An interpreter that has the package in its own site-packages. @returns its path. */
export function pythonWithVendorPackage(): string {
  const folder = temporaryFolder('robot-rest-vendor-');
  chmodSync(folder, 0o755);
  const venv = join(folder, 'venv');
  say(PYTHON, ['-m', 'venv', '--without-pip', venv]);
  const python = join(venv, 'bin/python');
  const [, site = ''] =
    /(\/.*site-packages)/.exec(say(python, ['-c', 'import site; print(site.getsitepackages()[0])'])) ?? [];
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(site, 'pymirokai', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  }
  return python;
}
