import { Writable } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import { BusError } from '../../../../functions/shared/kit/system-bus.ts';
import { createLogger } from '../../../../functions/shared/observability/logger.ts';
import { DeviceAttempt } from '../../../../functions/system/network/adapters/network-manager/attempt.ts';
import { NM, ROOT, STATE } from '../../../../functions/system/network/adapters/network-manager/names.ts';
import { CONNECTED, connected, device, type FakeManager } from '../../../support/fake-network-manager.ts';
import { silentLogger } from '../../../support/world.ts';

describe('A change of the connection', () => {
  const failing =
    (reason: string, text = '') =>
    () => {
      throw new BusError(reason, text, 'Member');
    };
  const begin = (fake: FakeManager, logger = silentLogger) => DeviceAttempt.begin(fake.manager, device, 60, logger);

  it('is busy, with Retry-After, while an earlier checkpoint exists', async () => {
    const fake = connected({}, { CheckpointCreate: failing(`${NM}.InvalidArguments`) });
    await expect(begin(fake)).rejects.toMatchObject({ code: 'busy', headers: { 'retry-after': '60' } });
  });

  it('does not begin when its checkpoint is refused', async () => {
    const fake = connected({}, { CheckpointCreate: failing(`${NM}.PermissionDenied`) });
    await expect(begin(fake)).rejects.toThrow('PermissionDenied');
    const odd = connected({}, { CheckpointCreate: () => Promise.reject(new Error('not of the bus')) });
    odd.call = async (_path, _from, member) => Promise.reject(new Error(`${member}: not of the bus`));
    await expect(begin(odd)).rejects.toThrow('not of the bus');
  });

  it.each([
    ['ipv4.method', 'the setting ipv4.method'],
    ['', 'these settings'],
  ])('refused by NetworkManager names only %j', async (text, named) => {
    const fake = connected({}, { AddConnection2: failing(`${NM}.Settings.Connection.InvalidProperty`, text) });
    const joining = (await begin(fake)).join(() => ({}), 'wpa-psk', 1);
    await expect(joining).rejects.toMatchObject({
      code: 'validation_failed',
      message: `NetworkManager rejected ${named}.`,
    });
  });

  it('is an error naming polkit when not allowed', async () => {
    const fake = connected({}, { AddConnection2: failing(`${NM}.Settings.PermissionDenied`) });
    const joining = (await begin(fake)).join(() => ({}), 'wpa-psk', 1);
    await expect(joining).rejects.toMatchObject({
      code: 'component_unavailable',
      message: expect.stringContaining('polkit'),
    });
  });

  it('is kept even when the replaced profile cannot be removed, which is logged', async () => {
    let log = '';
    const sink = new Writable({
      write(chunk, _encoding, done) {
        log += chunk;
        done();
      },
    });
    const fake = connected({}, { Update2: () => ({}), Delete: failing(`${NM}.Failed`) });
    await (await begin(fake, createLogger('warn', sink))).keep(
      () => ({}),
      () => true,
    );
    expect(fake.called).toContain(`${ROOT} CheckpointDestroy`);
    expect(log).toContain('could not remove');
  });

  it('activates the previous profile when the rollback leaves the device disconnected', async () => {
    const fake = connected({}, { ActivateConnection: (...body) => activated(body) });
    const attempt = await begin(fake);
    let asked: unknown[] = [];
    function activated(body: unknown[]) {
      asked = body;
      fake.objects['/wifi0 Device'] = CONNECTED;
      return '/active';
    }
    fake.answers.CheckpointRollback = () => {
      fake.objects['/wifi0 Device'] = { State: STATE.disconnected };
      return {};
    };
    expect(await attempt.undo()).toBe(true);
    expect(asked).toEqual(['/profile', '/wifi0', '/']);
  });

  it('waits for a previous profile that reconnects by itself', async () => {
    const fake = connected();
    const attempt = await begin(fake);
    fake.answers.CheckpointRollback = () => {
      fake.objects['/wifi0 Device'] = { State: 50 };
      setTimeout(() => {
        fake.objects['/wifi0 Device'] = CONNECTED;
      }, 300);
      return {};
    };
    expect(await attempt.undo()).toBe(true);
    expect(fake.called.filter((call) => call.endsWith('ActivateConnection'))).toEqual([]);
  });

  it('is undone at once when nothing was connected before', async () => {
    const fake = connected({ '/active Active': undefined as never }); // as: the connection has just gone
    expect(await (await begin(fake)).undo()).toBe(true);
  });

  it('reports when undoing leaves another connection', async () => {
    const fake = connected();
    const attempt = await begin(fake);
    fake.answers.CheckpointRollback = () => {
      fake.objects['/active Active'] = { Connection: '/another' };
      return {};
    };
    let now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
      now += 20_000;
      return now;
    });
    try {
      expect(await attempt.undo()).toBe(false);
    } finally {
      clock.mockRestore();
    }
  });

  it('reports when it cannot be undone', async () => {
    const fake = connected({}, { CheckpointRollback: failing(`${NM}.Failed`, 'no such checkpoint') });
    expect(await (await begin(fake)).undo()).toBe(false);
  });
});
