"""Binds a datagram socket as systemd does for sd_notify, and prints every assignment that arrives, a line each."""

import os
import socket
import sys

path = sys.argv[1]
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
    server.bind(path)
    os.chmod(path, 0o600)
    print("bound", flush=True)
    while True:
        # What is sent along, the pipe of a barrier, is dropped, and so the sender may go on.
        print(server.recv(65536).decode(), flush=True)
