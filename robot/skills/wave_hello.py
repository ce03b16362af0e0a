"""An example skill: the robot waves at whoever is in front of it."""

from robot_rest import AccessLevel, RobotClient, skill


@skill(access_level=AccessLevel.USER, description="Wave at whoever is in front of the robot.")
async def wave_hello(robot: RobotClient, times: int = 1) -> None:
    for _ in range(times):
        wave = await robot.skill("wave")
        await wave.completed()
        await robot.sleep(0.2)
    hello = await robot.skill("say", text="Hello!")
    await hello.completed()
