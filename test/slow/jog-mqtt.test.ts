import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { it } from '@jest/globals';
import { http } from '../support/http.ts';
import { JogClient } from '../support/jog-client.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/processes.ts';
import { broker, closing, describeExample, start } from '../support/python-example.ts';

describeExample('A robot behind a broker, driven by hand', (python) => {
  /** The service, the example robot and a client, each a process of its own. */
  async function driven() {
    const { caller } = await start(python);
    const service = await startProcess({ SERVICE_ROBOT_URL: broker.url('service', '/robot-1') });
    closing.push(() => service.end('SIGKILL').then(() => undefined));
    while (service.key === undefined) await once(service.child.stdout ?? service.child, 'data');
    const token = await tokenOf(service);
    const headers = { authorization: `Bearer ${token}` };
    const status = async () => (await http(service.url, '/status')).json;
    await until('the robot is connected', async () => (await status()).robot === 'connected');
    const estop = async () => (await http(service.url, '/api/v2/estop', { headers })).json.state;
    await until('the emergency stop is known', async () => (await estop()) === 'released');
    const body = { instance: randomBytes(16).toString('base64url'), ttl_ms: 60_000 };
    const lease = (await http(service.url, '/api/v2/lease/', { method: 'POST', headers, body })).json.lease_id;
    let client = await JogClient.start(service.url, token, lease);
    closing.push(() => client.kill());
    /** Asks the robot itself, past the service. */
    const pose = async (): Promise<{ x: number; moving: boolean }> =>
      (await caller.ask('get_pose')).result as unknown as { x: number; moving: boolean }; // as: get_pose says so
    // On a busy machine velocities can come late to the robot, which then waits until the stick has been let go.
    const moves = () => until('the robot moves', async () => (await pose()).moving, 5_000);
    while (
      !(await moves().then(
        () => true,
        () => false,
      ))
    ) {
      await client.kill();
      client = await JogClient.start(service.url, token, lease);
    }
    return { service, client, pose };
  }

  async function tokenOf(service: ServiceProcess): Promise<string> {
    return (await http(service.url, '/api/v2/auth/', { headers: { 'x-api-key': service.key ?? '' } })).json.token;
  }

  it.each<[string, (of: Awaited<ReturnType<typeof driven>>) => unknown]>([
    ['the client is killed', ({ client }) => client.kill()],
    ['the client falls silent', ({ client }) => client.freeze()],
    ['the service is killed', ({ service }) => service.end('SIGKILL')],
    ['the service hangs', ({ service }) => service.child.kill('SIGSTOP')],
  ])('stands still when %s', async (_what, fail) => {
    const all = await driven();
    await fail(all);
    await until('the robot stands still', async () => !(await all.pose()).moving);
  });
});
