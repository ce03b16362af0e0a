import { afterEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../../../functions/shared/observability/logger.ts';
import { refusal } from '../../../support/errors.ts';
import { until } from '../../../support/processes.ts';
import { MAPPING, never } from '../../../support/rosbridge-commands.ts';
import { closeScenes, openLink, scene, startStandIn } from '../../../support/rosbridge-link.ts';
import { RosbridgeStandIn } from '../../../support/rosbridge-server.ts';

afterEach(closeScenes);

describe('A rosbridge link that breaks', () => {
  it('is robot_unavailable at once when nothing is listening', async () => {
    const gone = await RosbridgeStandIn.start();
    await gone.close();
    const link = await openLink(MAPPING, gone.url);
    expect(link.connected()).toBe(false);
    const options = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    const sender = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;
    await expect(link.send({ command: 'raw', sender }, options)).rejects.toMatchObject({ code: 'robot_unavailable' });
    await expect(link.stop(options)).rejects.toMatchObject({ code: 'robot_unavailable' });
  });

  it('fails waiting commands and says that they may have run', async () => {
    const { link, standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', never);
    const answers = [refusal(() => send('raw')), refusal(() => send('get_pose'))];
    await standIn.until(() => standIn.of('call_service').length === 1);
    standIn.cut();
    for (const error of await Promise.all(answers)) {
      expect([error.code, error.message]).toEqual([
        'robot_unavailable',
        expect.stringContaining('may have been carried out'),
      ]);
    }
    expect(link.connected()).toBe(false);
  });

  it('notices a robot that has fallen silent', async () => {
    const { link, standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', never);
    const waiting = refusal(() => send('raw'));
    await standIn.until(() => standIn.of('call_service').length === 1);
    standIn.freeze();
    expect((await waiting).code).toBe('robot_unavailable');
    expect(link.connected()).toBe(false);
  });

  it('shows the password of its address only to the robot', async () => {
    const standIn = await RosbridgeStandIn.start();
    const said: string[] = [];
    const logger = createLogger('debug', { write: (line) => void said.push(line) });
    const url = standIn.url.replace('//', '//robin:s3cret@');
    const link = await openLink(MAPPING, url, { logger });
    expect(standIn.authorization).toBe(`Basic ${Buffer.from('robin:s3cret').toString('base64')}`);
    await standIn.close();
    await until(() => !link.connected());
    await until(() => said.some((line) => line.includes('failed')));
    expect(said.join('')).not.toContain('s3cret');
  });

  it('reconnects, advertises and subscribes again, and delivers nothing late', async () => {
    const { link, standIn, send } = await scene(MAPPING);
    const { port } = standIn;
    await standIn.close();
    await until(() => !link.connected());
    await refusal(() => send('light', true));
    const revived = await RosbridgeStandIn.start(port);
    try {
      await until(() => link.connected());
      await revived.until(() => revived.of('subscribe', '/odom').length === 1);
      revived.services.set('/raw', () => 'back');
      await expect(send('raw')).resolves.toBe('back');
      expect(revived.of('advertise', '/light')).toHaveLength(1);
      expect(revived.of('publish')).toEqual([]);
    } finally {
      await revived.close();
    }
  });

  it('counts one lost link each time, and none for failed attempts or its own end', async () => {
    const lost: string[] = [];
    const attempts: string[] = [];
    const standIn = await startStandIn();
    const link = await openLink(MAPPING, standIn.url, {
      metrics: { linkLost: (name) => void lost.push(name) },
      logger: createLogger('debug', { write: (line) => void attempts.push(line) }),
    });
    standIn.cut();
    await until(() => !link.connected());
    await until(() => link.connected());
    expect(lost).toEqual(['rosbridge']);
    await standIn.close();
    await until(() => !link.connected());
    await until(() => attempts.filter((line) => line.includes('the link to the robot failed')).length >= 3);
    expect(lost).toEqual(['rosbridge', 'rosbridge']);

    const revived = await startStandIn(standIn.port);
    await until(() => link.connected());
    link.close();
    await revived.close();
    await new Promise((resolve) => setTimeout(resolve, 50)); // its connections notice on their own
    expect(lost).toEqual(['rosbridge', 'rosbridge']);
  });

  it.each([
    ['no JSON', '{"op": "publish", '],
    ['no object', '[1, 2]'],
    ['no operation', '{"topic": "/odom"}'],
    ['an answer nobody asked for', '{"op": "service_response", "id": "1", "values": {}, "result": true}'],
    ['a topic nobody listens to', '{"op": "publish", "topic": "__proto__", "msg": 1}'],
    ['a result of no goal', '{"op": "action_result", "id": {"a": 1}, "status": "x"}'],
    ['no end of brackets', `{"op": "publish", "topic": "/odom", "msg": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a status', '{"op": "status", "level": "error", "msg": "publish: no such topic"}'],
  ])('ignores a message with %s', async (_what, text) => {
    const { standIn, send } = await scene(MAPPING);
    standIn.services.set('/raw', () => 1);
    standIn.sendText(text);
    await expect(send('raw')).resolves.toBe(1);
  });

  it('reconnects after a message that is too large', async () => {
    const { link, standIn } = await scene(MAPPING);
    standIn.publish('/odom', 'x'.repeat(5 * 1024 * 1024));
    await until(() => !link.connected());
    await until(() => link.connected());
  });
});

describe('Stop through rosbridge, without actions', () => {
  it('publishes at least as often as mapped and ends repeated publications', async () => {
    const { standIn, send, stop } = await scene(MAPPING);
    const blinking = refusal(() => send('blink'));
    await standIn.until(() => standIn.of('publish', '/blink').length >= 2);
    await expect(stop()).resolves.toEqual({ stopped: true });
    expect(await blinking).toMatchObject({ code: 'stopped', members: { command_ran: 'maybe' } });
    expect(standIn.of('publish', '/cmd_vel').length).toBeGreaterThanOrEqual(3);
    const before = standIn.of('publish', '/blink').length;
    await expect(stop()).resolves.toEqual({ stopped: true });
    expect(standIn.of('publish', '/blink')).toHaveLength(before);
  });

  it('is sent even when the maximum of commands is waiting', async () => {
    const { standIn, send, stop } = await scene(MAPPING);
    standIn.services.set('/raw', never);
    const waiting = Array.from({ length: 1000 }, () => send('raw').catch(() => undefined));
    const error = await refusal(() => send('raw'));
    expect([error.code, error.message]).toEqual(['robot_unavailable', expect.stringContaining('Too many')]);
    await expect(stop()).resolves.toEqual({ stopped: true });
    expect(standIn.of('publish', '/cmd_vel').length).toBeGreaterThanOrEqual(3);
    standIn.cut();
    await Promise.all(waiting);
  });
});
