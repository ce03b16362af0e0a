/**
 * The part of the bootstrap for functions with the decorator of the vendor's package `pymirokai`, which leaves the
 * attribute `skill_info` on them. Its client expects the socket of the robot in /tmp, and ports of this machine: both are
 * the run's own here, in a /tmp and a network that nobody else sees.
 */
export const VENDOR_BRIDGE = `
def is_of_vendor(function):
    while function is not None:
        if hasattr(function, "skill_info"):
            return True
        function = getattr(function, "__wrapped__", None)
    return False

class NoBridge(Exception):
    pass

def bridge(sockets):
    if not sockets:
        raise NoBridge("A skill with the decorator of pymirokai needs a sandbox: its client uses a fixed socket in /tmp and fixed ports.")
    os.symlink(sockets["rest"], "/tmp/rest_api.sock")
    listening = threading.Event()
    ports = ((8000, sockets["rest"]), (8001, sockets["events"]))
    threading.Thread(target=relay, args=(ports, listening), daemon=True).start()
    if not listening.wait(10):
        raise NoBridge("The ports 8000 and 8001 of the run could not be opened.")

def relay(ports, listening):
    import asyncio

    async def pump(reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def to(path):
        async def accepted(reader, writer):
            try:
                from_service, to_service = await asyncio.open_unix_connection(path)
            except OSError:
                return writer.close()
            await asyncio.gather(pump(reader, to_service), pump(from_service, writer))
        return accepted

    async def serve():
        servers = [await asyncio.start_server(to(path), "127.0.0.1", port) for port, path in ports]
        listening.set()
        await asyncio.gather(*(server.serve_forever() for server in servers))

    asyncio.run(serve())

def connect_as_vendor():
    from pymirokai.robot import connect
    return connect(api_key="", ip="127.0.0.1")
`;
