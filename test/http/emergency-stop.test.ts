import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { give } from '../../functions/shared/port.ts';
import {
  SimulatedEmergencyStop,
  simulatedHome,
  starterHome,
} from '../../functions/shared/robot-link/simulated-home.ts';
import { subscribeEvents } from '../support/event-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

const button = new SimulatedEmergencyStop();
const given = [give(simulatedHome, { ...starterHome(), emergencyStop: button })];
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ given });
});
afterEach(() => button.release());
afterAll(() => service.stop());

const post = (path: string, body?: object) =>
  service.as('ADMIN', path, { method: 'POST', ...(body === undefined ? {} : { body }) });
const drive = () => post('/api/v2/commands/go_to_relative/', { value: { x: 50 } });
const pose = async () => (await service.as('USER', '/api/v2/get/get_pose')).json.result;

describe('The emergency stop of the robot', () => {
  it('is shown by its route, by /status and by the state', async () => {
    const listener = await subscribeEvents(service.url, ['state'], { token: await service.token('USER') });
    expect((await service.as('USER', '/api/v2/estop')).json).toEqual({
      state: 'released',
      source: 'simulated button',
    });
    button.press();
    expect((await service.as('USER', '/api/v2/estop/')).json.state).toBe('engaged');
    expect((await service.as(undefined, '/status')).json.estop).toBe('engaged');
    await listener.next('the state', ({ type, event }) => type === 'event' && event.data.estop === 'engaged');
    expect((await service.as(undefined, '/api/v2/estop')).status).toBe(401);
    listener.socket.close();
  });

  it('stops what the service has begun, refuses motion, and starts nothing when it is released', async () => {
    const listener = await subscribeEvents(service.url, ['safety', 'missions'], {
      token: await service.token('USER'),
    });
    expect((await drive()).json.ok).toBe(true);
    button.press();
    await listener.next('the drive ended', ({ event }) => event?.type === 'robot.missions.cancelled');
    const refused = await drive();
    expect([refused.status, refused.json]).toEqual([
      409,
      expect.objectContaining({ code: 'estop_engaged', estop: 'engaged', command_ran: 'no' }),
    ]);
    expect((await pose()).moving).toBe(false);
    expect((await post('/api/v2/stop')).json.stopped).toBe(true);
    button.release();
    expect((await pose()).moving).toBe(false);
    expect((await drive()).json.ok).toBe(true);
    const told = listener.events().map(({ type }) => type);
    expect(told).toEqual(expect.arrayContaining(['robot.safety.estop_engaged', 'robot.safety.estop_released']));
    listener.socket.close();
    await post('/api/v2/stop');
  });

  it('refuses motion too while its state is unknown, and not stop or queries', async () => {
    button.lose();
    const refused = await drive();
    expect([refused.status, refused.json.code, refused.json.estop]).toEqual([409, 'estop_engaged', 'unknown']);
    expect((await pose()).moving).toBe(false);
    expect((await post('/api/v2/stop')).status).toBe(200);
  });

  it('ends a jog, which goes on only after it was released and the stick let go', async () => {
    const instance = randomBytes(16).toString('base64url');
    const { lease_id: lease } = (await post('/api/v2/lease/', { instance, ttl_ms: 60_000 })).json;
    let seq = 0;
    let stamp: string | undefined;
    const jog = async (vx: number) => {
      seq += 1;
      const frame = { lease, vx, vy: 0, wz: 0, seq, ...(stamp === undefined ? {} : { stamp }) };
      const { json } = await post('/api/v2/jog/', frame);
      stamp = json.stamp;
      return json.code;
    };
    expect([await jog(0), await jog(0.2)]).toEqual([undefined, undefined]);
    button.press();
    expect([await jog(0.2), await jog(0), await jog(0.2)]).toEqual(['stopped', undefined, 'estop_engaged']);
    expect((await pose()).moving).toBe(false);
    button.release();
    expect([await jog(0), await jog(0.2)]).toEqual([undefined, undefined]);
    await service.as('ADMIN', `/api/v2/lease/${lease}`, { method: 'DELETE' });
  });

  it('is unknown, and refuses nothing, where the robot reports none', async () => {
    const other = await startTestService();
    expect((await other.as('USER', '/api/v2/estop')).json).toEqual({ state: 'unknown', source: null });
    expect((await other.as(undefined, '/status')).json).not.toHaveProperty('estop');
    const body = { value: { x: 1 } };
    expect((await other.as('USER', '/api/v2/commands/go_to_relative/', { method: 'POST', body })).status).toBe(200);
    await other.stop();
  });
});
