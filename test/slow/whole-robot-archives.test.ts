import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { pack } from 'tar-stream';
import { repack, sha256, tarHeader, type Unpacked, unpack } from '../support/robot-archive.ts';
import { RobotHome } from '../support/robot-home.ts';

const robot = new RobotHome('robot-1');
let archive: Buffer;
let before: ReturnType<RobotHome['state']>;
beforeAll(async () => {
  await robot.start();
  await robot.add('robots_table', { name: 'Pip' });
  archive = (await robot.pack()).bytes;
  await robot.add('robots_table', { name: 'later' });
  before = robot.state();
});
afterAll(() => robot.stop());

// biome-ignore lint/suspicious/noExplicitAny: manifests of every shape
type AnyManifest = any;

/** The archive after something was done to its files and to its manifest, whose digests are right again. */
function changed(work: (unpacked: Unpacked) => void, change: (manifest: AnyManifest) => void = () => {}): Buffer {
  const unpacked = unpack(archive);
  work(unpacked);
  const { folder, members, manifest } = unpacked;
  for (const file of manifest.files) {
    const bytes = readFileSync(join(folder, file.path));
    Object.assign(file, { size: bytes.length, sha256: sha256(bytes) });
  }
  change(manifest);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return repack(folder, members);
}

const withManifest = (change: (manifest: AnyManifest) => void) => changed(() => {}, change);

/** The archive with a member of any header before the manifest. */
async function withMember(header: Parameters<ReturnType<typeof pack>['entry']>[0], body = ''): Promise<Buffer> {
  const { folder, members } = unpack(archive);
  const tar = pack();
  for (const member of members.slice(0, -1)) tar.entry({ name: member }, readFileSync(join(folder, member)));
  tar.entry(header, body);
  tar.entry({ name: 'manifest.json' }, readFileSync(join(folder, 'manifest.json')));
  tar.finalize();
  return gzipSync(await buffer(tar));
}

function databaseWith(sql: string): Buffer {
  return changed(({ folder }) => {
    const database = new Database(join(folder, 'database.sqlite'));
    database.exec(sql);
    database.close();
  });
}

type Case = readonly [what: string, made: () => Buffer | Promise<Buffer>, detail: RegExp, status?: number];

const CASES: readonly Case[] = [
  ['a byte that differs', () => flipped(), /cut off, damaged|differs from its manifest/],
  ['nothing', () => Buffer.alloc(0), /cut off/],
  ['no gzip', () => Buffer.from('hello'.repeat(1000)), /no \.tar\.gz/],
  ['no tar', () => gzipSync(Buffer.from('hello'.repeat(1000))), /no \.tar\.gz/],
  ['half of it', () => archive.subarray(0, archive.length / 2), /cut off/],
  ['all but its last bytes', () => archive.subarray(0, -5), /cut off/],
  ['a tar that ends in a member', () => gzipSync(gunzipSync(archive).subarray(0, 5_000)), /cut off/],
  ['no manifest', () => without('manifest.json'), /no manifest\.json/],
  ['a manifest before the rest', () => reordered(), /goes on behind its manifest/],
  ['a manifest that is no JSON', () => changedManifest('{'), /not JSON/],
  ['a manifest of another shape', () => changedManifest('[]'), /does not fit/],
  ['a member missing', () => without('skills/wave_hello.py'), /lacks "skills\/wave_hello\.py"/],
  ['a member unlisted', () => withMember({ name: 'skills/extra.py' }, 'x = 1'), /"skills\/extra\.py".*not list/],
  ['a member twice', () => withMember({ name: 'settings.json' }, '{}'), /"settings\.json" twice/],
  ['a member listed twice', () => withManifest(({ files }) => files.push(files[0])), /lists .* twice/],
  ['a wrong sum', () => withManifest(({ files }) => Object.assign(files[0], { sha256: '0'.repeat(64) })), /differs/],
  ['a wrong size', () => withManifest(({ files }) => Object.assign(files[0], { size: 1 })), /differs/],
  ['..', () => withMember({ name: 'skills/../../evil.py' }, 'x'), /no robot has.*begin with "\."/],
  ['an absolute path', () => withMember({ name: '/tmp/evil.py' }, 'x'), /belongs to no part/],
  ['a backslash', () => withMember({ name: 'skills/..\\evil.py' }, 'x'), /no robot has/],
  ['a newline in a name', () => withMember({ name: 'skills/x.py\n' }, 'x'), /skills\/x\.py\\n".*control characters/],
  ['a hidden skill', () => withMember({ name: 'skills/.hid.py' }, 'x'), /"skills\/\.hid\.py".*begin with "\."/],
  ['a hidden folder', () => withMember({ name: 'skills/.git/x' }, 'x'), /begin with "\."/],
  ['a mesh that no URL reaches', () => withMember({ name: 'description/~x/a.stl' }, 'x'), /begin with "\." or "~"/],
  ['what Python makes again', () => withMember({ name: 'skills/__pycache__/x.pyc' }, 'x'), /__pycache__/],
  ['an unreadable language model', () => withLanguageModel('a: ['), /language-model\.yaml.*line 1.*\. Nothing was/],
  ['a language model that is a list', () => withLanguageModel('- 1\n'), /top level must be a map/],
  ['a key', () => withMember({ name: 'jwt-signing-key.pem' }, 'x'), /belongs to no part/],
  ['a symbolic link', () => withMember({ name: 'skills/l.py', type: 'symlink', linkname: '/etc' }), /no regular file/],
  ['a hard link', () => withMember({ name: 'skills/l.py', type: 'link', linkname: 'settings.json' }), /no regular/],
  ['a folder', () => withMember({ name: 'skills/lib', type: 'directory' }), /no regular file/],
  ['a device', () => withMember({ name: 'skills/null', type: 'character-device', devmajor: 1 }), /no regular file/],
  ['a pipe', () => withMember({ name: 'skills/pipe', type: 'fifo' }), /no regular file/],
  ['a file where a folder is', () => withMember({ name: 'database.sqlite/x' }, 'x'), /belongs to no part/],
  ['a file below a file', () => withMember({ name: 'skills/wave_hello.py/x' }, 'x'), /cannot be beside/],
  ['a very long path', () => withMember({ name: `skills/${'a/'.repeat(600)}x` }, 'x'), /at most 1024 bytes/],
  ['parts without a database', () => withManifest((manifest) => manifest.parts.shift()), /does not name/],
  ['an unknown part', () => withManifest(({ parts }) => parts.push('soul')), /does not fit/],
  ['a newer format', () => withManifest((manifest) => Object.assign(manifest, { format: 2 })), /newer release/, 409],
  ['a newer schema', () => withManifest((manifest) => Object.assign(manifest, { schema: 99 })), /newer release/, 409],
  ['another robot', () => withManifest((manifest) => Object.assign(manifest, { robot_id: 'b' })), /adopt=true/, 409],
  ['a database of another program', () => databaseWith('create table diary (text)'), /"diary"/],
  ['a database with a trigger', () => databaseWith('create view v as select 1'), /view/],
  ['a newer database under an older number', () => databaseWith('pragma user_version = 99'), /schema version 99/],
  [
    'a damaged database',
    () => changed(({ folder }) => writeFileSync(join(folder, 'database.sqlite'), 'x'.repeat(9_999))),
    /damaged/,
  ],
];

const withLanguageModel = (text: string) =>
  changed(({ folder }) => writeFileSync(join(folder, 'language-model.yaml'), text));

function flipped(): Buffer {
  const copy = Buffer.from(archive);
  const at = Math.floor(copy.length / 2);
  copy.writeUInt8(copy.readUInt8(at) ^ 0x55, at);
  return copy;
}

function without(member: string): Buffer {
  const { folder, members } = unpack(archive);
  return repack(
    folder,
    members.filter((name) => name !== member),
  );
}

function reordered(): Buffer {
  const { folder, members } = unpack(archive);
  return repack(folder, ['manifest.json', ...members.slice(0, -1)]);
}

function changedManifest(text: string): Buffer {
  const { folder, members } = unpack(archive);
  writeFileSync(join(folder, 'manifest.json'), text);
  return repack(folder, members);
}

describe('A restore of the whole robot', () => {
  beforeEach(() => expect(robot.state()).toEqual(before));

  it.each(CASES)('refuses an archive with %s, and changes nothing', async (_what, made, detail, status = 422) => {
    const { json } = await robot.restore(await made());
    expect(json).toMatchObject({
      status,
      code: status === 409 ? 'conflict' : 'archive_invalid',
      detail: expect.stringMatching(detail),
    });
    expect(json.detail).toMatch(/Nothing was changed/);
    expect(robot.state()).toEqual(before);
    expect(robot.leftovers()).toEqual([]);
  });

  it('takes an archive that somebody has packed again with the system tar', async () => {
    expect(
      await robot.restore(
        changed(() => {}),
        '?dry_run=true',
      ),
    ).toMatchObject({ status: 200 });
  });

  it('takes the data of another robot when asked to, and keeps its own id', async () => {
    const other = withManifest((manifest) => Object.assign(manifest, { robot_id: 'robot-b' }));
    expect(await robot.restore(other, '?adopt=true&dry_run=true')).toMatchObject({ status: 200 });
    expect((await robot.service.as(undefined, '/status')).json.robot_id).toBe('robot-1');
  });

  it('keeps the signing key, the API keys and the audit trail of this machine', async () => {
    const kept = () =>
      ['jwt-signing-key.pem', 'api-keys.json'].map((name) => readFileSync(join(robot.dataDir, name), 'utf8'));
    writeFileSync(join(robot.dataDir, 'api-keys.json'), '{"keys":[]}', { mode: 0o600 });
    const keys = kept();
    expect((await robot.restore(archive)).status).toBe(200);
    expect(kept()).toEqual(keys);
    before = robot.state();
  });

  /** Sends what is made as it is read; the answer may come before all of it was sent. */
  async function send(body: Readable): Promise<AnyManifest> {
    const authorization = `Bearer ${await robot.service.token('ENCHANTER')}`;
    return new Promise((resolve, reject) => {
      const headers = { authorization, 'content-type': 'application/gzip' };
      const call = request(`${robot.service.url}/api/v2/backup/restore`, { method: 'POST', headers });
      call.on('response', (response) => {
        response.toArray().then((chunks) => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))), reject);
      });
      call.on('error', () => {}); // the answer came, and the rest was not read
      body.on('error', () => {}).pipe(call);
    });
  }

  const bomb = (chunks: Iterable<Buffer>) => Readable.from(chunks).pipe(createGzip({ level: 9 }));

  it('refuses two million members before the second hundred thousand', async () => {
    function* members() {
      for (let index = 0; index < 2_000_000; index++) yield tarHeader(`skills/${index}.py`);
    }
    expect(await send(bomb(members()))).toMatchObject({ status: 422, detail: expect.stringMatching(/100000 members/) });
    expect(robot.leftovers()).toEqual([]);
  });

  it('refuses a member that says it is larger than the disk at once', async () => {
    function* huge() {
      yield tarHeader('skills/huge.py', 2 ** 45);
      const zeros = Buffer.alloc(1024 * 1024);
      for (let index = 0; index < 8_192; index++) yield zeros;
    }
    expect(await send(bomb(huge()))).toMatchObject({ status: 507, code: 'storage_full' });
    expect(robot.leftovers()).toEqual([]);
  });

  it('does not keep a header of a gigabyte in memory', async () => {
    function* long() {
      yield tarHeader('PaxHeader', 2 ** 30, 'x');
      const zeros = Buffer.alloc(1024 * 1024);
      for (let index = 0; index < 1_024; index++) yield zeros;
    }
    expect(await send(bomb(long()))).toMatchObject({ status: 422, detail: expect.stringMatching(/header.*too long/) });
  });

  it('refuses a body of another type, and a name that is none', async () => {
    const restore = (body: unknown, type: string) =>
      robot.service.as('ENCHANTER', '/api/v2/backup/restore', {
        method: 'POST',
        body,
        headers: { 'content-type': type },
      });
    expect((await restore('x', 'text/plain')).json).toMatchObject({ status: 415 });
    expect((await restore('{"name":"../x"}', 'application/json')).json).toMatchObject({ status: 422 });
    expect((await restore('', 'application/json')).json).toMatchObject({ status: 400 });
  });
});
