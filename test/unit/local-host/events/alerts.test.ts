import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Events } from '../../../../functions/shared/events/events.port.ts';
import { Alerts } from '../../../../local-host/events/alerts.ts';
import { FakeKeyStore, keyRecord } from '../../../support/auth.ts';
import { makeCertificate, OPENSSL } from '../../../support/certificates.ts';
import { describeWith } from '../../../support/components.ts';
import { temporaryFolder } from '../../../support/world.ts';

const NO_KEYS = new FakeKeyStore([]);

function collecting(): { events: Events; told: unknown[] } {
  const told: unknown[] = [];
  return { told, events: { publish: (_topic, verb, data) => void told.push([verb, data]) } };
}

describe('Alerts', () => {
  it('are raised once and cleared once, in the words of /health/ready', async () => {
    let problem: string | undefined = '/data has 3 bytes left';
    const { events, told } = collecting();
    const checks = [{ part: 'storage', reason: 'A disk is full.', problem: async () => problem }];
    const alerts = new Alerts({ checks, servedTls: () => undefined, keys: NO_KEYS, events, clock: Date.now });
    await alerts.check();
    await alerts.check();
    await alerts.check();
    expect(told).toEqual([['raised', { alert: 'storage', message: 'A disk is full.' }]]);
    problem = undefined;
    await alerts.check();
    alerts.close();
    expect(told.slice(1)).toEqual([['cleared', { alert: 'storage' }]]);
  });

  it('include the problems of TLS under `certificate`', async () => {
    const { events, told } = collecting();
    const checks = [{ part: 'tls', reason: 'TLS is off.', problem: async () => 'the disk is full' }];
    const alerts = new Alerts({ checks, servedTls: () => undefined, keys: NO_KEYS, events, clock: Date.now });
    await alerts.check();
    alerts.close();
    expect(told).toEqual([['raised', { alert: 'certificate', message: 'TLS is off.' }]]);
  });

  it('are raised when a check fails', async () => {
    const { events, told } = collecting();
    const checks = [{ part: 'robot', reason: 'No robot.', problem: () => Promise.reject(new Error('x')) }];
    const alerts = new Alerts({ checks, servedTls: () => undefined, keys: NO_KEYS, events, clock: Date.now });
    await alerts.check();
    alerts.close();
    await new Promise(setImmediate);
    expect(told).toEqual([['raised', { alert: 'robot', message: 'No robot.' }]]);
  });
});

describe('An API key', () => {
  it('is told 7 days before it expires, unless it is revoked', async () => {
    const day = (n: number) => new Date(Date.parse('2027-03-01T00:00:00Z') + n * 86_400_000).toISOString();
    const keys = new FakeKeyStore([
      keyRecord('soon', 'USER', { expires_at: day(8) }),
      keyRecord('later', 'USER', { expires_at: day(20) }),
      keyRecord('revoked', 'USER', { expires_at: day(8), revoked_at: day(0) }),
      keyRecord('endless', 'USER'),
    ]);
    const { events, told } = collecting();
    let now = Date.parse(day(0.5));
    const alerts = new Alerts({ checks: [], servedTls: () => undefined, keys, events, clock: () => now });
    await alerts.check();
    expect(told).toEqual([]);
    now = Date.parse(day(1));
    await alerts.check();
    expect(told).toEqual([['raised', { alert: 'key_expiry', message: expect.stringContaining(`soon`) }]]);
    expect(JSON.stringify(told)).not.toMatch(/later|revoked|endless/);
    now = Date.parse(day(8));
    await alerts.check();
    alerts.close();
    expect(told.slice(1)).toEqual([['cleared', { alert: 'key_expiry' }]]);
  });
});

describeWith('openssl', OPENSSL, 'A certificate', () => {
  it('is told 14 days before it expires', async () => {
    const { cert } = makeCertificate(temporaryFolder(), 'robot');
    const expiresAt = Date.parse(new X509Certificate(cert).validTo);
    for (const [days, count] of [
      [15, 0],
      [13, 1],
    ] as const) {
      const { events, told } = collecting();
      const alerts = new Alerts({
        checks: [],
        servedTls: () => ({ pem: cert }),
        keys: NO_KEYS,
        events,
        clock: () => expiresAt - days * 86_400_000,
      });
      await alerts.check();
      alerts.close();
      expect(told).toHaveLength(count);
    }
  });
});
