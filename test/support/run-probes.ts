/** The body of a skill that returns what it sees of the computer. @param service process id of the service. */
export const lookAround = (service: string | undefined) => `import os, socket
def exists(*paths): return [path for path in paths if os.path.exists(path)]
def opened(mode, *paths):
    found = []
    for path in paths:
        try:
            open(path, mode).close(); found.append(path)
        except OSError: pass
    return found
def reached(*addresses):
    found = []
    for family, address in addresses:
        try:
            with socket.socket(family, socket.SOCK_STREAM) as client:
                client.settimeout(5); client.connect(address); found.append(str(address))
        except OSError: pass
    return found
def allowed(*pids):
    found = []
    for pid in pids:
        try: os.kill(pid, 0); found.append(pid)
        except OSError: pass
    return found
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
return {
    "root": sorted(os.listdir("/")), "etc": os.listdir("/etc"), "run": sorted(os.listdir("/run")),
    "exists": exists("/var/lib", "/home", "/opt", "/root/build", "/run/dbus", "/run/systemd/private", "/run/systemd/journal",
        "/run/user", "/run/robot-audio", "/run/robot-rest/rest_api.sock", "/run/robot-rest-runs", "/run/robot-rest-guard", "/tmp/rest_api.sock.stop",
        "/sys/kernel", "/sys/class", "/proc/1", "/proc/${service}", "/proc/sys", "/proc/cmdline", "/var/lib/robot-rest", "/etc/robot-rest"),
    "devices": opened("rb", "/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/snd/timer", "/dev/video0", "/dev/ttyS0", "/dev/fuse", "/dev/vhost-net"),
    "written": opened("w", "/x", "/usr/x", "/etc/x", "/run/x", "/dev/x", "/dev/shm/x", "/dev/mqueue/x", "/run/robot-rest/x", "/run/robot-rest/start.py", "/var/x"),
    "reached": reached((socket.AF_INET, ("127.0.0.1", 8000)), (socket.AF_INET, ("10.0.2.2", 22)), (socket.AF_INET, ("1.1.1.1", 53)),
        (socket.AF_UNIX, "/run/dbus/system_bus_socket"), (socket.AF_UNIX, "\\0robot-rest-abstract")),
    "interfaces": [line.split(":")[0].strip() for line in open("/proc/self/net/dev").readlines()[2:]],
    "signalled": allowed(1, ${service}), "others": [pid for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()],
    "capabilities": sorted({status[name] for name in ("CapEff", "CapPrm", "CapBnd", "CapInh", "CapAmb")}),
    "no_new_privs": status["NoNewPrivs"], "seccomp": status["Seccomp"], "uid": os.getuid() >= 61184,
    "environment": sorted(os.environ),
}`;

/** The body of a skill that returns which ways to privileges are refused. */
export const CLIMB = `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def refused(call, *args): return call(*args) == -1
for mode in (0o4755, 0o2755):
    open("/tmp/s", "w").close()
    try: os.chmod("/tmp/s", mode); setuid = True
    except OSError: setuid = False
return {
    "user namespace": refused(libc.unshare, 0x10000000), "mount namespace": refused(libc.unshare, 0x00020000),
    "mount": refused(libc.mount, b"none", b"/tmp", b"tmpfs", 0, None), "remount": refused(libc.mount, None, b"/usr", None, 0x20, None),
    "trace": refused(libc.ptrace, 16, os.getppid(), 0, 0), "keyring": refused(libc.syscall, 248, b"user", b"x", b"x", 1, -3),
    "setuid": setuid, "raw": [family for family in (16, 17, 40) if libc.socket(family, 2, 0) >= 0],
}`;
