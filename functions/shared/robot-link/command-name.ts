/** The route that stops every robot. */
const STOP_ROUTE = 'POST /api/v2/stop';

/** Whether somebody who calls a command of this name means to stop the robot. */
function meansStop(name: string): boolean {
  return name.toLowerCase() === 'stop';
}

/** Why no command of a robot may have this name; undefined if one may. */
export function commandNameProblem(name: string): string | undefined {
  if (!meansStop(name)) return undefined;
  return `no command may be called "${name}": people would call it to stop the robot, which ${STOP_ROUTE} does`;
}

/** What to call in place of a command that does not exist. */
export function insteadOf(name: string): string {
  return meansStop(name) ? `${STOP_ROUTE} stops the robot.` : 'GET /api/v2/commands/ lists its commands.';
}
