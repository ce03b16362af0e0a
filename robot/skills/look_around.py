"""An example skill: the robot turns once on the spot and tells what it has seen."""

from robot_skills import AccessLevel, skill

STEPS = 8


@skill(access_level=AccessLevel.ADMIN)
async def look_around(robot) -> list[str]:
    """Turn once on the spot, in eight steps, and name everything that was seen."""
    seen: list[str] = []
    for _ in range(STEPS):
        await robot.go_to_relative(x=0.0, y=0.0, theta=360 / STEPS)
        seen.extend(await robot.get_detected_runes())
    return sorted(set(seen))
