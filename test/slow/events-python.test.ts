import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { FakeKeyStore, keyRecord } from '../support/auth.ts';
import { describeWhen } from '../support/components.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';

const PYTHON = '/usr/bin/python3';
interface Report {
  readonly ran: string[];
  readonly told: Array<{ readonly type: string; readonly subject: string }>;
  readonly codes: number[];
}

const present = existsSync('/usr/lib/python3/dist-packages/websockets');

describeWhen(present, 'python3-websockets is not installed', 'The websockets package for Python', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  it('follows a mission from its start to its end', async () => {
    const script = join(ROOT, 'test/support/events_client.py');
    const child = spawn(PYTHON, [script, service.url], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(await service.token('USER'));
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(printed.split('\n').map((line) => line.trim())).toEqual([
      'authenticated',
      'subscribed',
      'snapshot',
      'event robot.missions.started',
      'event robot.missions.finished',
      '',
    ]);
  });

  it('survives three ends of its session without losing an ordered event', async () => {
    const keys = new FakeKeyStore([keyRecord('k1', 'USER')]);
    const own = await startTestService({ given: [give(keyStore, keys)] });
    try {
      const script = join(ROOT, 'test/support/events_sessions.py');
      const child = spawn(PYTHON, [script, own.url], { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.end('rk_k1');
      const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      const { ran, told, codes } = JSON.parse(printed) as Report;
      expect(codes).toEqual([4401, 4401, 4401]);
      expect(ran).toHaveLength(7);
      expect(told.map(({ type, subject }) => [type, subject])).toEqual(
        ran.flatMap((mission) => [
          ['robot.missions.started', mission],
          ['robot.missions.finished', mission],
        ]),
      );
    } finally {
      await own.stop();
    }
  });
});
