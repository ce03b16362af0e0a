"""An example skill: the robot waves at whoever is in front of it."""

from robot_skills import AccessLevel, skill


@skill(access_level=AccessLevel.USER, description="Wave at whoever is in front of the robot.")
async def wave_hello(robot, times: int = 3) -> None:
    for _ in range(times):
        await robot.move_arm("right", raised=True)
        await robot.move_arm("right", raised=False)
    await robot.say("Hello!")
