import { VENDOR_BRIDGE } from './vendor-bridge.ts';

/**
 * The Python program that a run begins with. It is a string passed to the interpreter with `-c`, so that it is part of
 * every bundle. It speaks lines of JSON over descriptor 3: says `ready`, waits for the `job`, and only then touches the
 * skill. It ends with its whole process group when the other end of the descriptor is closed.
 *
 * Limits apply to its own process and are inherited; a skill cannot raise them.
 */
export const BOOTSTRAP = String.raw`
import json, os, signal, sys, threading

CHANNEL = 3
RESULT_BYTES = 64 * 1024

def read_line(pending):
    while b"\n" not in pending:
        try:
            piece = os.read(CHANNEL, 65536)
        except OSError: # reset: the other end died with something unread
            piece = b""
        if not piece:
            os.killpg(0, signal.SIGKILL)
        pending += piece
    line, _, rest = pending.partition(b"\n")
    return json.loads(line), rest

def say(message):
    data = json.dumps(message, allow_nan=False).encode("ascii") + b"\n"
    while data:
        data = data[os.write(CHANNEL, data):]

def fail(code, message):
    say({"type": "failed", "code": code, "message": message[:4096].encode("utf-8", "replace").decode("utf-8")})

def limit(name, value):
    try:
        import resource
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(kind, (value, value))
    except (AttributeError, ImportError, OSError, ValueError):
        pass

def confine(limits):
    for name, value in limits["rlimits"].items():
        limit(name, value)
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass
    try:
        if limits["nice"]:
            os.nice(limits["nice"])
        if limits["cores"]:
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-limits["cores"]:])
    except OSError:
        pass

class Ending:
    """What a request to end does: cancels the task, or else interrupts whatever runs."""
    def __init__(self):
        self.loop = self.task = None
        self.asked = False

    def __call__(self, *_):
        self.asked = True
        if self.task is not None:
            self.loop.call_soon_threadsafe(self.task.cancel)
        else:
            raise SystemExit(143)

def listen(pending):
    while True:
        message, pending = read_line(pending)
        if message.get("type") == "end":
            os.kill(os.getpid(), signal.SIGTERM)

def load(path, name):
    import importlib.util
    name = "robot_skill_" + name  # a file called json.py must not take the place of the module
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module

${VENDOR_BRIDGE}
def connect():
    import robot_rest
    return robot_rest.connect()

def call(function, args, ending, sockets):
    import inspect
    of_vendor = is_of_vendor(function)
    if of_vendor:
        bridge(sockets)
    parameters = list(inspect.signature(function).parameters.values())  # of what its decorators wrap
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    wants_robot = bool(positional)
    named = dict(args)
    given = [named.pop(p.name) for p in positional[1:] if p.kind == p.POSITIONAL_ONLY and p.name in named]
    if of_vendor or inspect.iscoroutinefunction(inspect.unwrap(function)):
        import asyncio
        async def run(*args):
            result = function(*args, **named)  # a decorator may have put a plain function in its place
            return await result if inspect.isawaitable(result) else result
        async def main():
            ending.loop, ending.task = asyncio.get_running_loop(), asyncio.current_task()
            if not wants_robot:
                return await run()
            async with (connect_as_vendor if of_vendor else connect)() as robot:
                return await run(robot, *given)
        return asyncio.run(main())
    if not wants_robot:
        return function(**named)
    import robot_rest.sync
    with robot_rest.sync.connect() as robot:
        return function(robot, *given, **named)

def finite(digits):
    if float(digits) in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return 0

def main():
    say({"type": "ready", "pid": os.getpid()})
    import importlib.util, inspect # needed later, while the service prepares its answer
    job, pending = read_line(b"")
    confine(job["limits"])
    sys.path[:0] = [job["packages"]]
    sys.dont_write_bytecode = True
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    ending = Ending()
    signal.signal(signal.SIGTERM, ending)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=listen, args=(pending,), daemon=True).start()
    status = 1
    try:
        module = load(job["path"], job["skill"])
        function = getattr(module, job["function"], None)
        if not callable(function):
            return fail("exception", "The file defines no function " + job["function"] + " when it is imported.")
        result = call(function, job["args"], ending, job["vendor"])
        try:
            text = json.dumps(result, allow_nan=False)
            json.loads(text, parse_int=finite)
        except (TypeError, ValueError, RecursionError) as error:
            return fail("result_not_json", "The result is not JSON: " + str(error))
        if len(json.dumps(result, ensure_ascii=False).encode("utf-8", "surrogatepass")) > RESULT_BYTES:
            return fail("result_too_large", "The result is larger than 64 KiB.")
        say({"type": "returned", "result": json.loads(text)})
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        if ending.asked:
            status = 143
        elif not isinstance(error.code, (int, type(None))):
            fail("exited", "It exited before the function returned: " + str(error.code))
    except BaseException as error:
        import traceback
        traceback.print_exc()
        name = type(error).__name__
        try:
            text = str(error)
        except Exception:
            text = ""
        fail("exception", name + ": " + text if text else name)
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        os._exit(status & 255)

main()
`;
