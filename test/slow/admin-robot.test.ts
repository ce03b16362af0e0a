import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runToEnd, type ServiceProcess, startProcess } from '../support/process.ts';
import { repack, unpack, unpackAny } from '../support/robot-archive.ts';
import { temporaryFolder } from '../support/world.ts';

const UNITS = { SERVICE_ALLOWED_UNITS: 'head=robot-*.service;base=robot-*.service' };
const LOCATIONS = 'known_locations_table';

describe('robot-rest-admin over a socket of the level ENCHANTER', () => {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder, name);
  let service: ServiceProcess;
  beforeAll(async () => {
    const settings = { SERVICE_STOP_PORT: '', SERVICE_SOCKET_ACCESS_LEVEL: 'ENCHANTER', ...UNITS };
    service = await startProcess({ HOME: folder, ...settings });
    await success('robot', 'backup', '--output', path('robot.tar.gz'));
  }, 120_000);
  afterAll(() => service?.end());

  const admin = (...words: string[]) => {
    const environment = { PATH: process.env.PATH ?? '', HOME: folder, SERVICE_SOCKET_PATH: service.socketPath };
    return runToEnd(['admin', ...words], environment);
  };
  /** The results of a command that succeeds, and what it notes. */
  async function success(...words: string[]) {
    const { code, stdout, stderr } = await admin(...words);
    expect([words, code, code === 0 ? '' : stderr]).toEqual([words, 0, '']);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return { results: lines.map((line) => JSON.parse(line)), stderr };
  }
  const places = async () => (await admin('tables', 'download', LOCATIONS)).stdout;

  it('saves the whole robot in one file that tar unpacks', () => {
    const { members, manifest } = unpack(readFileSync(path('robot.tar.gz')));
    expect(members.at(-1)).toBe('manifest.json');
    expect(manifest.parts).toEqual(expect.arrayContaining(['database', 'skills', 'language_model', 'description']));
  });

  it('restores the robot from that file after a dry run, lists what was there, and goes back to it', async () => {
    const before = await places();
    writeFileSync(path('places.csv'), 'id,color\r\nhall,blue\r\n');
    await success('tables', 'upload', LOCATIONS, path('places.csv'));
    const between = await places();
    const dry = await success('robot', 'restore', path('robot.tar.gz'), '--dry-run');
    expect(dry.results).toMatchObject([{ restored: expect.arrayContaining(['database']), backup: null }]);
    expect([await places(), (await success('robot', 'archives')).results]).toEqual([between, []]);

    const [{ backup }] = (await success('robot', 'restore', path('robot.tar.gz'))).results;
    expect(await places()).toBe(before);
    expect((await success('robot', 'archives')).results).toMatchObject([{ name: backup }]);
    await success('robot', 'restore', backup);
    expect(await places()).toBe(between);
  });

  it('takes the file of another robot with --adopt alone', async () => {
    const { folder: unpacked, members, manifest } = unpack(readFileSync(path('robot.tar.gz')));
    writeFileSync(join(unpacked, 'manifest.json'), JSON.stringify({ ...manifest, robot_id: 'another' }));
    writeFileSync(path('another.tar.gz'), repack(unpacked, members));
    const refused = await admin('robot', 'restore', path('another.tar.gz'));
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/"another".*\(conflict\)\n$/) });
    await success('robot', 'restore', path('another.tar.gz'), '--adopt');
  });

  it('says that the mapping of a restored robot is read at a start', async () => {
    writeFileSync(join(folder, '.robot-rest', 'rosbridge.yaml'), 'commands: {}\n');
    await success('robot', 'backup', '--output', path('mapped.tar.gz'));
    const { stderr } = await success('robot', 'restore', path('mapped.tar.gz'));
    expect(stderr).toContain('systemctl restart robot-rest robot-rest-guard');
  });

  it('bundles an incident, of a window and of units', async () => {
    const until = new Date().toISOString();
    const since = new Date(Date.now() - 60_000).toISOString();
    const units = ['head/robot-vision.service', 'base/robot-nav.service'];
    const words = ['--since', since, '--until', until, ...units.flatMap((unit) => ['--unit', unit])];
    await success('incident', ...words, '--output', path('incident.tar.gz'));
    const unpacked = unpackAny(readFileSync(path('incident.tar.gz')));
    expect(JSON.parse(readFileSync(join(unpacked, 'incident.json'), 'utf8'))).toMatchObject({
      since,
      until,
      logs: [units],
    });
    await success('incident', '--output', path('all.tar.gz'));
    expect(readFileSync(join(unpackAny(readFileSync(path('all.tar.gz'))), 'status.json'), 'utf8')).toContain(
      'robot_id',
    );
  });

  it.each<[string, () => string[], RegExp]>([
    ['a file that is no archive', () => ['robot', 'restore', path('places.csv')], /\(archive_invalid\)\n$/],
    ['no such file', () => ['robot', 'restore', path('none.tar.gz')], /^Could not read .*\(ENOENT\)\.\n$/],
    ['no such kept archive', () => ['robot', 'restore', 'robot-000099-20260401T120000Z.tar.gz'], /\(not_found\)\n$/],
    ['a file that exists', () => ['robot', 'backup', '--output', path('robot.tar.gz')], /exists already/],
    ['a unit that may not be read', () => ['incident', '--unit', 'head/ssh.service'], /\(unit_not_allowed\)\n$/],
    ['a time that is none', () => ['incident', '--since', 'yesterday'], /^Must be a time .*\(validation_failed\)\n$/],
  ])('fails with one sentence for %s', async (_name, words, sentence) => {
    const { code, stdout, stderr } = await admin(...words());
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(sentence)]);
  });
});
