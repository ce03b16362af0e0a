import type { JsonObject } from '../../functions/shared/kit/json.ts';
import { MappingFault, parseMapping } from '../../functions/shared/robot-link/adapters/rosbridge/mapping.ts';
import type { Scene } from './rosbridge-link.ts';

/** The commands, their types written as either generation of ROS does. */
export const commands = (msg: '' | 'msg/', action: '' | 'action/') => `
commands:
  go: { title: Go, kind: coordinates, action: { name: /nav, type: a/${action}Nav, goal: { x: $x } } }
  arrive: { title: Arrive, kind: coordinates, action: { name: /nav, type: a/${action}Nav, answers: finished } }
  dock: { title: Dock, kind: none, action: { name: /dock, type: a/${action}Dock } }
  go_by:
    title: Go by
    kind: coordinates
    relative_to: { name: /odom, type: nav_msgs/${msg}Odometry, pose: pose.pose, throttle_ms: 0 }
    action: { name: /nav, type: a/${action}Nav, goal: { x: $x, y: $y, yaw: $theta, frame: $frame } }
  raw: { title: Raw, kind: none, service: { name: /raw } }
  check: { title: Check, kind: none, service: { name: /check, success: $answer.ok } }
  explain: { title: Explain, kind: none, service: { name: /check, success: $answer.ok, message: $answer.why } }
  say: { title: Say, kind: str, publish: { name: /say, type: std_msgs/${msg}String, message: { data: $value } } }
  wait_for_skill: { title: Wait, kind: str, mission: wait }
  wait_for_skill_started: { title: Wait, kind: str, mission: wait_for_start }
`;

export const ROS1 = `ros: 1\nstop: { cancel: [/arm], service: [{ name: /halt, success: $answer.ok }] }${commands('', '')}`;

export const ROS2 = `ros: 2\nstop: { cancel: [/nav], service: [{ name: /halt, success: $answer.ok }] }${commands('msg/', 'action/')}`;

export const HERE = { x: 1, y: 0, z: 0, theta: 0 };

/** Sends a goal and waits until the robot has it; the id of its mission. */
export async function called(each: Scene, command = 'go'): Promise<string> {
  const { msg } = (await each.send(command, command === 'go' ? HERE : undefined)) as JsonObject; // as: the answer of a goal
  await each.standIn.until(() => each.standIn.goals.some(({ id }) => id === msg));
  return String(msg);
}

/** The bridge sends this message. */
export const say = (each: Scene, message: JsonObject) => each.standIn.sendText(JSON.stringify(message));

/** Why this text is refused as a mapping. */
export function faultOf(text: string): string {
  try {
    parseMapping(text);
  } catch (error) {
    if (error instanceof MappingFault) return error.message;
    throw error;
  }
  throw new Error('The mapping was taken.');
}
