import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runToEnd } from '../support/process.ts';
import { temporaryFolder } from '../support/world.ts';

const run = (home: string, args: readonly string[], settings: Record<string, string> = {}) =>
  runToEnd(['jwt-key', ...args], { HOME: home, ...settings });
const lines = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('npm run --silent jwt-key', () => {
  it('rotates by publishing first, refuses to rotate twice, and replaces a leaked key immediately', async () => {
    const home = temporaryFolder();
    const [old, added] = lines((await run(home, ['rotate'])).stdout);
    expect(old).toMatchObject({ state: 'signing', signs_from: null });
    expect(added).toMatchObject({ state: 'waiting', published_until: null });
    expect(Date.parse(old.published_until) - Date.parse(added.signs_from)).toBe(35 * 60_000);
    const again = await run(home, ['rotate']);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toMatch(/--now/);
    const now = await run(home, ['rotate', '--now']);
    expect(now.stderr).toMatch(/invalid/);
    const shown = await run(home, ['show']);
    expect(shown.stdout).toBe(now.stdout);
    expect(lines(shown.stdout)).toHaveLength(1);
    const pem = readFileSync(join(home, '.robot-rest', 'jwt-signing-key.pem'), 'utf8');
    expect(`${shown.stdout}${shown.stderr}`).not.toContain(pem.split('\n')[1]);
  });

  it.each([[[]], [['replace']], [['show', '--now']], [['rotate', '--later']], [['rotate', 'x']]])(
    'explains itself when called with %j',
    async (args) => {
      const home = temporaryFolder();
      const { code, stdout, stderr } = await run(home, args);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain('Usage:');
      expect(existsSync(join(home, '.robot-rest'))).toBe(false);
    },
    60_000,
  );

  it.each([
    ['a key in memory', { SERVICE_JWT_EPHEMERAL: '1' }],
    ['a key of the environment', { SERVICE_JWT_SIGNING_KEY: 'x' }],
    ['a file that cannot be', { SERVICE_JWT_SIGNING_KEY_PATH: '/dev/null/key' }],
  ])(
    'ends with one line for %s',
    async (_name, settings) => {
      const { code, stdout, stderr } = await run(temporaryFolder(), ['rotate'], settings);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^[^\n]+\n$/);
    },
    60_000,
  );
});
