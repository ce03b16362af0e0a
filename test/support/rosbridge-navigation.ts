import { afterEach } from '@jest/globals';
import { closeScenes } from './rosbridge-link.ts';
import type { RosbridgeStandIn } from './rosbridge-server.ts';

/** A robot that navigates by actions, in either generation of ROS. */
export const mapping = (ros: 1 | 2) => {
  const type = ros === 1 ? 'move_base_msgs/MoveBaseAction' : 'nav2_msgs/action/NavigateToPose';
  const msg = ros === 1 ? '' : 'msg/';
  return `
ros: ${ros}
stop:
  publish: [{ name: /cmd_vel, type: geometry_msgs/${msg}Twist, message: { linear: { x: 0 } }, times: 2, every_ms: 10 }]
  still: { name: /odom, type: nav_msgs/${msg}Odometry, zero: [twist.linear.x], tolerance: 0.01, throttle_ms: 0 }
commands:
  go: { title: Go, kind: coordinates, action: { name: /nav, type: ${type}, goal: { to: { x: $x, yaw: $theta|radians } } } }
  arrive:
    title: Arrive
    kind: coordinates
    action: { name: /nav, type: ${type}, goal: { to: { x: $x } }, answers: finished }
    result: { error: $answer.error }
  go_by:
    title: Go by
    kind: coordinates
    relative_to: { name: /odom, type: nav_msgs/${msg}Odometry, pose: pose.pose, throttle_ms: 0 }
    action: { name: /nav, type: ${type}, goal: { to: { x: $x, y: $y, yaw: $theta, frame: $frame } } }
  wait_for_skill: { title: Wait, kind: str, mission: wait }
  wait_for_skill_started: { title: Wait, kind: str, mission: wait_for_start }
  cancel_skill: { title: Cancel, kind: str, mission: cancel }
  cancel_and_wait_for_mission: { title: Cancel, kind: str, mission: cancel_and_wait }
  cancel_client_missions: { title: Cancel mine, kind: none, mission: cancel_mine }
`;
};

export const HERE = { x: 1, y: 0, z: 0, theta: 90 };

export const odometry = (speed: number) => ({
  header: { frame_id: 'odom' },
  pose: { pose: { position: { x: 2, y: 3, z: 0 }, orientation: { x: 0, y: 0, z: Math.SQRT1_2, w: Math.SQRT1_2 } } },
  twist: { linear: { x: speed } },
});

/** Publishes odometry every 10 ms until the test ends; `speed` is asked each time. */
export function tell(standIn: RosbridgeStandIn, speed: () => number): void {
  telling.push(setInterval(() => standIn.publish('/odom', odometry(speed())), 10));
}

const telling: NodeJS.Timeout[] = [];

/** Closes after each test what it has opened. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const timer of telling.splice(0)) clearInterval(timer);
    await closeScenes();
  });
}
