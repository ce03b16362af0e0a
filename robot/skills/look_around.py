"""An example skill: the robot turns once on the spot and tells what it has seen."""

from robot_rest import AccessLevel, RobotClient, skill


@skill(access_level=AccessLevel.ADMIN)
async def look_around(robot: RobotClient, steps: int = 8) -> list[str]:
    """Turn once on the spot, step by step, and name everything that was seen."""
    seen: set[str] = set()
    for step in range(steps):
        turn = await robot.go_to_relative(theta=360 / steps)
        await robot.mission(turn).completed()
        detected = (await robot.get_detected_runes()).result
        seen.update(detected)
        print(f"step {step + 1} of {steps}: {detected}")
    return sorted(seen)
