/** Services and topics, without actions. */
export const MAPPING = `
ros: 2
stop:
  publish: [{ name: /cmd_vel, type: geometry_msgs/msg/Twist, message: { linear: { x: 0 } }, times: 3, every_ms: 10 }]
  service: [{ name: /halt, success: $answer.ok }]
commands:
  add: { title: Add, kind: dict, service: { name: /add, type: a/srv/Add, args: { a: $value.a|number, b: 2 } }, result: $answer.sum }
  raw: { title: Raw, kind: none, service: { name: /raw } }
  power:
    title: Power
    kind: bool
    service: { name: /power, args: { data: $value }, success: $answer.success, message: $answer.message }
    result: { power: $value }
  light: { title: Light, kind: bool, publish: { name: /light, type: std_msgs/msg/Bool, message: { data: $value } } }
  blink: { title: Blink, kind: none, publish: { name: /blink, type: std_msgs/msg/Empty, times: 100, every_ms: 20 } }
  get_pose:
    title: Pose
    kind: none
    topic: { name: /odom, type: nav_msgs/msg/Odometry, max_age_ms: 200, throttle_ms: 50 }
    result: { x: $answer.pose.position.x, theta: $answer.pose.orientation|yaw }
`;

/** A service that never answers. */
export const never = () => new Promise<never>(() => {});
