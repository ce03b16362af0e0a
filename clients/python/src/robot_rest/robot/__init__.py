"""Put a robot behind Robot REST, through an MQTT broker.

.. code-block:: python

    robot = Robot("robot-1", broker="mqtts://robot-1@broker.local")

    @robot.query()
    def battery() -> float:
        "Charge in percent"
        return base.battery()

    robot.run()
"""

from ._ends import Ends
from ._refusals import Busy, Cancelled, Declined, NotReady, Refused
from ._robot import Robot
from ._schema import Between
from ._task import Task

__all__ = ["Between", "Busy", "Cancelled", "Declined", "Ends", "NotReady", "Refused", "Robot", "Task"]
