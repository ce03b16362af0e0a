"""Prints what the robot does, and lets it greet: ROBOT_KEY=$(cat api-key.txt) python3 remote_program.py http://robot.local:8000"""

import os
import sys
from threading import Thread

from robot_rest import Declined, RobotRestError
from robot_rest.sync import RobotClient, connect


def tell(robot: RobotClient) -> None:
    for event in robot.events("missions"):
        print(event.type, event.data, flush=True)
        if event.type == "robot.missions.finished":
            return


with connect(sys.argv[1], key=os.environ["ROBOT_KEY"]) as robot:
    listener = Thread(target=tell, args=(robot,))
    listener.start()
    try:
        greeting = robot.skill("say", text="Hello!")
        greeting.started()
        greeting.completed(timeout=20)
    except Declined as error:
        print("the robot declined:", error.detail)
    except RobotRestError as error:
        print("failed:", error)
        print("stopped:", robot.stop().stopped)
    listener.join(timeout=5)
