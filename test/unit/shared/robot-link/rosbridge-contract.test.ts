import type { JsonObject, JsonValue } from '../../../../functions/shared/kit/json.ts';
import { DOCUMENTED_RESULTS } from '../../../../functions/shared/robot-link/documented-results.ts';
import { until } from '../../../support/processes.ts';
import { type LinkUnderTest, robotLinkContract } from '../../../support/robot-link-contract.ts';
import { closeScenes, scene } from '../../../support/rosbridge-link.ts';
import { RosbridgeStandIn } from '../../../support/rosbridge-server.ts';

robotLinkContract('rosbridge, ROS 1', () => openRosbridge(1));
robotLinkContract('rosbridge, ROS 2', () => openRosbridge(2));

async function openRosbridge(ros: 1 | 2): Promise<LinkUnderTest> {
  let robot = await robotWithSkills();
  const { link } = await scene(mapping(ros), robot);
  await until(() => link.connected());
  return {
    link,
    question: { command: 'get_battery_level' },
    answer: 50,
    numbered: (n) => ({ command: 'sound_level', value: n, answer: { sound_level: n } }),
    async waiting(send) {
      const { msg } = (await send({ command: 'skill', value: { name: 'wave' } })) as { msg: string }; // as: how missions are called
      return { command: 'wait_for_skill', value: msg };
    },
    others: [
      { command: 'skill', value: { name: 'wave' } },
      { command: 'wait_for_skill', value: 'nobody' },
      { command: 'cancel_skill', value: 'nobody' },
      { command: 'cancel_client_missions' },
    ],
    reached: () => robot.of('call_service').filter(({ service }) => service === '/volume').length,
    async cut() {
      await robot.close();
      await until(() => !link.connected());
    },
    async mend() {
      robot = await robotWithSkills(robot.port);
      await until(() => link.connected());
    },
    async end() {
      await closeScenes();
      await robot.close();
    },
  };
}

/** A stand-in that plays a robot: its skills go on until they are cancelled. */
async function robotWithSkills(port?: number): Promise<RosbridgeStandIn> {
  const standIn = await RosbridgeStandIn.start(port);
  standIn.services.set('/volume', (args: JsonValue): JsonObject => ({ ok: true, args }));
  standIn.services.set('/halt', () => ({ ok: true }));
  standIn.services.set('/battery', () => ({ percentage: 0.5 }));
  return standIn;
}

const mapping = (ros: 1 | 2) => `
ros: ${ros}
stop:
  publish: [{ name: /cmd_vel, type: ${ros === 1 ? 'geometry_msgs/Twist' : 'geometry_msgs/msg/Twist'} }]
  service: [{ name: /halt, success: $answer.ok }]
commands:
  sound_level:
    title: Set the sound level
    kind: int
    service: { name: /volume, args: { sound_level: $value }, success: $answer.ok }
    result: $answer.args
    result_schema: ${JSON.stringify(DOCUMENTED_RESULTS.sound_level?.result)}
  get_battery_level:
    title: Battery level in percent
    kind: none
    effect: query
    service: { name: /battery }
    result: $answer.percentage|percent
    result_schema: ${JSON.stringify(DOCUMENTED_RESULTS.get_battery_level?.result)}
  go_to_absolute: { title: Go, kind: coordinates, action: { name: /nav, type: ${ros === 1 ? 'a/NavAction' : 'a/action/Nav'}, goal: { x: $x } } }
  skill: { title: Skill, kind: dict, action: { name: /skills, type: ${ros === 1 ? 'a/SkillAction' : 'a/action/Skill'}, goal: { name: $value.name|string } } }
  wait_for_skill: { title: Wait, kind: str, mission: wait }
  cancel_skill: { title: Cancel, kind: str, mission: cancel }
  cancel_client_missions: { title: Cancel mine, kind: none, mission: cancel_mine }
`;
