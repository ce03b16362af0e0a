import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../functions/shared/kit/json.ts';
import type { CommandSpec } from '../../functions/shared/robot-link/port.ts';
import { describeWith } from '../support/components.ts';
import { http } from '../support/http.ts';
import { MOSQUITTO, startMosquitto } from '../support/mosquitto.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { PythonRobot, ROBOTS } from '../support/python-robot.ts';
import { runReadmeSession, SESSION_PRINTS } from '../support/readme-session.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

describeWith('mosquitto', MOSQUITTO, 'The session of the README', () => {
  it('works verbatim, and gives the same shapes of answer with the simulated robot and with the example behind a broker', async () => {
    const simulated = await session({});
    const broker = await startMosquitto();
    const args = ['127.0.0.1', String(broker.port), 'robot-1'];
    const robot = new PythonRobot(ROBOTS["Debian's paho-mqtt"], args, {
      ROBOT_MQTT_PASSWORD: broker.password('robot-1'),
    });
    try {
      const relayed = await session({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
      const [catalogue, ...answers] = simulated;
      expect(answers.map(shapeOf)).toEqual(relayed.slice(1).map(shapeOf));
      expect(answers.filter(({ command }) => command).map(({ command, ok }) => [command, ok])).toEqual([
        ['get_language', true],
        ['sound_level', true],
        ['go_to_relative', true],
        ['get_pose', true],
        ['skill', true],
        ['wait_for_skill', true],
      ]);
      const known = entriesOf(catalogue);
      for (const [name, entry] of entriesOf(relayed[0])) {
        expect([name, entry]).toEqual([name, known.get(name) ?? entry]);
      }
    } finally {
      await robot.end();
      await broker.kill();
    }
  });
});

/** What the session prints from the catalogue on. */
async function session(settings: Record<string, string>): Promise<JsonObject[]> {
  const home = temporaryFolder();
  const cwd = temporaryFolder();
  for (const name of readdirSync(ROOT)) symlinkSync(join(ROOT, name), join(cwd, name));
  const service: ServiceProcess = await startProcess({ HOME: home, ...settings });
  try {
    await until(async () => (await http(service.url, '/status')).json.robot === 'connected');
    if (settings.SERVICE_ROBOT_URL !== undefined) await estopReleased(service);
    const printed = await runReadmeSession(service, home, cwd);
    for (const text of SESSION_PRINTS) expect(printed).toContain(text);
    expect(readdirSync(cwd).filter((name) => name.endsWith('.txt'))).toEqual([]);
    const answers = documentsIn(printed);
    return answers.slice(answers.findIndex((answer) => 'commands' in answer));
  } finally {
    await service.end();
  }
}

/** Motion is refused until the robot has reported its emergency stop, a moment after its presence. */
async function estopReleased({ socketPath }: ServiceProcess): Promise<void> {
  const { headers } = await http(socketPath, '/api/v2/auth/');
  const token = { authorization: String(headers.authorization) };
  await until(async () => (await http(socketPath, '/api/v2/estop', { headers: token })).json.state === 'released');
}

/** JSON objects that were printed one behind the other. */
function documentsIn(text: string): JsonObject[] {
  const documents: JsonObject[] = [];
  let begin = 0;
  for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', end + 1)) {
    try {
      documents.push(JSON.parse(text.slice(begin, end + 1)));
      begin = end + 1;
    } catch {
      // It goes on.
    }
  }
  return documents;
}

/** A value with the types of what it holds in place of that. */
function shapeOf(value: JsonValue | undefined): JsonValue {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  if (Array.isArray(value)) return value.map(shapeOf);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
}

/** What the catalogue describes of each command. */
function entriesOf(catalogue: JsonObject | undefined): Map<string, readonly string[]> {
  const { commands } = catalogue as unknown as { commands: CommandSpec[] }; // as: it fits the schema
  return new Map(commands.map((entry) => [entry.name, Object.keys(entry).sort()]));
}
