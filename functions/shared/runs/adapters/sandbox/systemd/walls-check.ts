import * as z from 'zod';

/** What a unit is asked before skills run in such units; it then stays until its channel is closed. */
export const WALLS_CHECK = String.raw`
import json, sys
problems = []
status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
    if int(status[name], 16):
        problems.append("it keeps capabilities")
        break
if status["NoNewPrivs"] != "1" or status["Seccomp"] != "2" or os.getuid() == 0:
    problems.append("it has privileges, or all system calls")
with open("/proc/self/net/dev") as file:
    if [line for line in file.readlines()[2:] if not line.strip().startswith("lo:")]:
        problems.append("it has a network")
for path in ("/etc/passwd", "/run/dbus", "/run/systemd/journal", "/run/systemd/private", "/var/lib", "/sys/kernel", "/proc/1/status", "/proc/sys"):
    if os.path.exists(path):
        problems.append("it sees " + path)
for path in ("/x", "/usr/x", "/dev/x", "/dev/shm/x", "/run/x", "/run/robot-rest/x"):
    try:
        open(path, "w")
    except OSError:
        continue
    problems.append("it can write " + path)
size = os.statvfs("/tmp")
report = {
    "problems": problems,
    "python": [os.path.realpath(sys.prefix), os.path.realpath(sys.executable)],
    "tmp": size.f_blocks * size.f_frsize,
}
os.write(3, json.dumps(report).encode("ascii") + b"\n")
while True:
    try:
        if not os.read(3, 4096): break
    except OSError: break
`;

export const WallsReport = z.object({
  problems: z.array(z.string()),
  python: z.array(z.string()),
  tmp: z.number(),
});
export type WallsReport = z.infer<typeof WallsReport>;

/** Asked of SERVICE_SKILL_PYTHON, to compare it with that of the unit. */
export const WHICH_PYTHON =
  'import json, os, sys; print(json.dumps([os.path.realpath(sys.prefix), os.path.realpath(sys.executable)]))';
