"""Asks for the pose until the key is refused, and prints the error code."""

import os
import sys
import time

from robot_rest import AuthError
from robot_rest.sync import connect

with connect(sys.argv[1], key=os.environ["ROBOT_KEY"]) as robot:
    print("connected", flush=True)
    try:
        while True:
            robot.get_pose()
            time.sleep(0.02)
    except AuthError as error:
        print(error.code)
