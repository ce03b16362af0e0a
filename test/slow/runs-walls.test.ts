import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { http } from '../support/http.ts';
import { BUBBLEWRAP, RunService } from '../support/run-service.ts';

const OPEN = ['/status', '/api/v2/commands/', '/api/v2/get/get_pose', '/api/v2/lease/', '/api/v2/auth/refresh/'];
const CLOSED = [
  '/api/v2/runs/',
  '/api/v2/skill/list/',
  '/api/v2/service/get_services_list',
  '/api/v2/audit/',
  '/metrics',
  '/openapi.json',
  '/api/v2/network/get_wifi_list',
  '/api/v2/database/get_path/',
  '/api/v2/volume/',
];

describeWith('bubblewrap', BUBBLEWRAP, 'The walls of a run under bubblewrap', () => {
  let runs: RunService;
  beforeAll(async () => {
    runs = await RunService.start();
  });
  afterAll(() => runs.stop());

  /** What a skill finds that runs this body. */
  async function found(body: string): Promise<unknown> {
    runs.writeBody('probe', body);
    const run = await runs.complete('probe');
    expect(run).toMatchObject({ state: 'succeeded', sandbox: 'bubblewrap' });
    return run.result;
  }

  const secretsOf = () => {
    const { config } = runs.service.ports;
    return [config.SERVICE_DATA_DIR, config.SERVICE_JWT_SIGNING_KEY_PATH, runs.service.socketPath];
  };

  it('hide every folder of the machine but /usr', async () => {
    expect(await found('import os\nreturn sorted(os.listdir("/"))')).toEqual(
      ['bin', 'dev', 'lib', 'lib64', 'proc', 'run', 'tmp', 'usr'].filter((name) => name !== ''),
    );
    const paths = [...secretsOf(), '/etc/passwd', '/etc/shadow', '/root', '/var', '/home', '/run/dbus', process.cwd()];
    expect(await found(`import os\nreturn [p for p in ${JSON.stringify(paths)} if os.path.exists(p)]`)).toEqual([]);
  });

  it('limit the first process of the sandbox, which a skill can trace, like the skill', async () => {
    const body = `limits = {}
for pid in ("1", "self"):
    for line in open(f"/proc/{pid}/limits"):
        if line.startswith(("Max address space", "Max processes", "Max file size", "Max open files")):
            limits.setdefault(line[:26].strip(), []).append(line.split()[-2])
return limits`;
    const limits = Object.entries((await found(body)) as Record<string, [string, string]>); // as: the skill above returns it
    expect(limits).toHaveLength(4);
    for (const [name, [first, skill]] of limits) expect([name, first]).toEqual([name, skill]);
    for (const [, [first]] of limits) expect(first).not.toBe('unlimited');
  });

  it('leave nothing to write to but /tmp, which has a size', async () => {
    const tries = ['/x', '/usr/x', '/dev/x', '/dev/shm/x', '/run/robot-rest/x', '/proc/sys/kernel/core_pattern'];
    const body = `import os
written = []
for path in ${JSON.stringify(tries)}:
    try:
        open(path, "w").write("x"); written.append(path)
    except OSError: pass
size = 0
try:
    for number in range(400):
        with open(f"/tmp/{number}", "wb") as file: size += file.write(bytes(1 << 20))
except OSError as error: written.append(error.strerror)
return [written, size <= 64 << 20]`;
    expect(await found(body)).toEqual([['No space left on device'], true]);
  });

  it('give no privilege, and none that could be had by a namespace, a mount or a setuid program', async () => {
    const body = `import ctypes, os, subprocess
libc = ctypes.CDLL(None, use_errno=True)
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
return {
    "root": os.getuid() == 0 and ${process.getuid?.() === 0 ? 'True' : 'False'},
    "capabilities": sorted({status[name] for name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb")}),
    "no_new_privs": status["NoNewPrivs"],
    "namespace": subprocess.run(["unshare", "--user", "true"], capture_output=True).returncode == 0,
    "mount": libc.mount(b"none", b"/usr", None, 0x20 | 0x1000, None) == 0,
    "remount": subprocess.run(["mount", "-o", "remount,rw", "/usr"], capture_output=True).returncode == 0,
}`;
    expect(await found(body)).toEqual({
      root: false,
      capabilities: ['0000000000000000'],
      no_new_privs: '1',
      namespace: false,
      mount: false,
      remount: false,
    });
  });

  it('let it see no process but its own, and no secret in what it inherits', async () => {
    const body = `import os
pids = [name for name in os.listdir("/proc") if name.isdigit()]
texts = [open(f"/proc/{pid}/{name}", errors="replace").read() for pid in pids for name in ("environ", "cmdline")]
links = [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if os.path.islink(f"/proc/self/fd/{name}")]
files = [path for path in links if path.startswith("/") and not path.startswith(("/dev/null", "/proc/"))]
names = sorted(os.environ)
return [len(pids) <= 3, [name for name in names if not name.startswith("ROBOT_REST_")], files, [s for s in ${JSON.stringify(['SERVICE_', 'jwt-signing-key', 'rk_'])} if s in "".join(texts).replace(open("/proc/self/cmdline").read(), "")]]`;
    const [few, names, files, secrets] = (await found(body)) as [boolean, string[], string[], string[]];
    expect([few, files, secrets]).toEqual([true, [], []]);
    expect(names.filter((name) => !['HOME', 'LANG', 'PATH', 'PWD', 'LC_CTYPE'].includes(name))).toEqual([]);
  });

  it('cut it off from the network, abstract sockets and those of the machine', async () => {
    const abstract = createServer();
    await new Promise<void>((resolve) => abstract.listen(`\0robot-rest-test-${process.pid}`, resolve));
    const port = new URL(runs.service.url).port;
    const body = `import socket
reached = []
for family, address in ((socket.AF_INET, ("127.0.0.1", ${port})), (socket.AF_INET, ("1.1.1.1", 53)),
        (socket.AF_UNIX, "\\0robot-rest-test-${process.pid}"), (socket.AF_UNIX, ${JSON.stringify(runs.service.socketPath)}), (socket.AF_UNIX, "/run/dbus/system_bus_socket")):
    with socket.socket(family) as client:
        client.settimeout(2)
        try:
            client.connect(address); reached.append(str(address))
        except OSError: pass
return [reached, [name for _, name in socket.if_nameindex()]]`;
    expect(await found(body)).toEqual([[], ['lo']]);
    abstract.close();
  });

  it('offer the routes of a run, and refuse its tokens everywhere else', async () => {
    const body = `import http.client, json, os, socket
class Local(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(os.environ["ROBOT_REST_SOCKET"])
def ask(path, headers={}):
    connection = Local("localhost")
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read()
token = json.loads(ask("/api/v2/auth/")[1])["token"]
return [[ask(path, {"authorization": "Bearer " + token})[0] for path in ${JSON.stringify([...OPEN, ...CLOSED])}], token]`;
    const [codes, token] = (await found(body)) as [number[], string];
    expect(codes).toEqual([...OPEN.map(() => 200), ...CLOSED.map(() => 404)]);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ access_level: 'USER', mediamtx_permissions: [] });
    for (const base of [runs.service.url, runs.service.socketPath]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await http(base, '/api/v2/commands/', { headers })).json.code).toBe('key_revoked');
    }
  });

  it('are not done without because of an interpreter that cannot be used behind them', async () => {
    const elsewhere = await RunService.start({ SERVICE_SKILL_PYTHON: '/nowhere/python3' });
    elsewhere.writeBody('nothing', 'return 1');
    const { status, json } = await elsewhere.post('/api/v2/runs/', { skill: 'nothing' });
    expect([status, json.detail]).toEqual([503, expect.stringContaining('SERVICE_SKILL_PYTHON')]);
    await elsewhere.stop();
  });

  it('keep what a skill imports from its own folder out', async () => {
    const folder = runs.service.ports.config.SERVICE_SKILLS_DIR;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'json.py'), 'raise SystemExit("imported")\n');
    expect(await found('import json\nreturn json.dumps(1)')).toBe('1');
  });
});
