import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BUILT_AT } from '../../../../functions/shared/build-info.ts';
import { folderProblem } from '../../../../functions/shared/kit/files/folder-problem.ts';
import { give } from '../../../../functions/shared/port.ts';
import { handler as checkLive } from '../../../../functions/system/status/check-live.handler.ts';
import { handler as checkReady } from '../../../../functions/system/status/check-ready.handler.ts';
import { lifecycle, readiness } from '../../../../functions/system/status/ports.ts';
import type { ReadinessCheck } from '../../../../functions/system/status/readiness.ts';
import { type ReadinessParts, readinessChecks } from '../../../../local-host/readiness.ts';
import { invoke } from '../../../support/invoke.ts';
import { temporaryFolder, testPorts } from '../../../support/world.ts';

const fine: ReadinessCheck = { part: 'robot', reason: 'unused', problem: async () => undefined };
const failing: ReadinessCheck = { part: 'keys', reason: 'Mend the keys.', problem: async () => 'EACCES /secret/path' };
const throwing: ReadinessCheck = {
  part: 'clock',
  reason: 'Set the time.',
  problem: async () => {
    throw new Error('/secret/clock');
  },
};

const ready = (checks: readonly ReadinessCheck[], draining = false) =>
  invoke(checkReady, { ports: testPorts({ given: [give(readiness, checks), give(lifecycle, { draining })] }) });

describe('GET /health/ready', () => {
  it('is 200 when every component works', async () => {
    expect(await ready([fine])).toMatchObject({
      status: 200,
      body: { status: 'ready', parts: { robot: { ok: true } } },
    });
  });

  it('is a problem with the state of every component when one fails', async () => {
    const { status, headers, body } = await ready([fine, failing]);
    expect(status).toBe(503);
    expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '5' });
    expect(body).toMatchObject({
      status: 503,
      code: 'component_unavailable',
      parts: { robot: { ok: true }, keys: { ok: false, reason: 'Mend the keys.' } },
    });
  });

  it('treats a component that throws as not ready without showing why', async () => {
    const { body } = await ready([failing, throwing]);
    expect(body.parts.clock).toEqual({ ok: false, reason: 'Set the time.' });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('treats a thrown non-error as not ready', async () => {
    const odd: ReadinessCheck = { ...throwing, problem: () => Promise.reject('/secret/text') };
    const { status, body } = await ready([odd]);
    expect([status, JSON.stringify(body).includes('secret')]).toEqual([503, false]);
  });

  it('is 503 while the service drains', async () => {
    expect(await ready([fine], true)).toMatchObject({
      status: 503,
      body: { detail: 'The service is shutting down; try again in a moment.', parts: { robot: { ok: true } } },
    });
  });
});

describe('GET /health/live', () => {
  it('stays 200 while the service drains', async () => {
    const ports = testPorts({ given: [give(lifecycle, { draining: true })] });
    expect(await invoke(checkLive, { ports })).toMatchObject({ status: 200, body: { status: 'live' } });
  });
});

describe('Component checks', () => {
  const working = {
    robotLink: async () => ({ connected: () => true }),
    database: async () => ({ problem: () => undefined }),
    signingKeys: async () => ({ problem: () => undefined }),
    keyStore: async () => ({ problem: () => undefined }),
    localSocket: { problem: () => undefined, owner: () => undefined },
    eventsPort: { problem: () => undefined },
    tls: { problem: () => undefined },
    relay: { problem: () => undefined },
    guard: { problem: () => undefined },
    skillsFolderProblem: async () => undefined,
    storageProblem: async () => undefined,
    clock: () => BUILT_AT + 1,
  } as unknown as ReadinessParts; // as: the checks ask for nothing else of the ports

  const failures: ReadonlyArray<readonly [part: string, broken: object]> = [
    ['robot', { robotLink: async () => ({ connected: () => false }) }],
    ['database', { database: async () => ({ problem: () => 'damaged' }) }],
    ['signing_key', { signingKeys: async () => ({ problem: () => 'unreadable' }) }],
    ['keys', { keyStore: async () => ({ problem: () => 'broken JSON' }) }],
    ['socket', { localSocket: { problem: () => 'taken', owner: () => undefined } }],
    ['events_port', { eventsPort: { problem: () => 'taken' } }],
    ['tls', { tls: { problem: () => 'the disk is full' } }],
    ['relay', { relay: { problem: () => 'taken over' } }],
    ['guard', { guard: { problem: () => 'silent' } }],
    ['skills_folder', { skillsFolderProblem: async () => 'EROFS' }],
    ['storage', { storageProblem: async () => 'full' }],
    ['clock', { clock: () => BUILT_AT - 1 }],
  ];

  it.each(failures)('report only %s as not ready', async (part, broken) => {
    const found: string[] = [];
    for (const check of readinessChecks({ ...working, ...broken })) {
      if ((await check.problem()) !== undefined) found.push(check.part);
    }
    expect(found).toEqual([part]);
  });
});

describe('A folder the service writes to', () => {
  it('passes when it exists or can be created', async () => {
    const folder = temporaryFolder();
    expect(await folderProblem(folder)).toBeUndefined();
    expect(await folderProblem(join(folder, 'not', 'yet'))).toBeUndefined();
  });

  it('fails when a file is in its place or above it', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'skills');
    writeFileSync(file, '');
    expect(await folderProblem(file)).toBe('it is not a folder');
    expect(await folderProblem(join(file, 'below'))).toBe('ENOTDIR');
    mkdirSync(join(folder, 'other'));
    expect(await folderProblem(join(folder, 'other'))).toBeUndefined();
  });
});
