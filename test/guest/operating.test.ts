import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_TIMEOUT_MS, PATIENCE } from '../support/guest.ts';
import { OperatedGuest } from '../support/operated-guest.ts';
import { until } from '../support/processes.ts';
import { type Typed, typedIn } from '../support/typed-documents.ts';

const ARCHIVES = '/var/lib/robot-rest/archives';
const listKeys = 'api "$ROBOT/api/v2/keys/"';
const HOME_NET = { Workshop: 'HomeNet' };
const FIRST_KEY = '/var/lib/robot-rest/first-api-key';

describe("A robot's life, typed as docs/operating.md says", () => {
  let robot: OperatedGuest;

  beforeAll(async () => {
    robot = await OperatedGuest.boot();
  }, BOOT_TIMEOUT_MS);
  afterAll(() => robot?.guest.stop());

  const run = (line: string) => robot.guest.run(line);
  const inSection = (heading: string) => typedIn('operating.md', heading);
  const keyIds = async () =>
    Object.fromEntries(
      (await run('robot-rest-admin api-key list'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ revoked_at: end }: { revoked_at: string | null }) => end === null)
        .map(({ name, id }: { name: string; id: string }) => [name, id]),
    );
  const piece = (pieces: readonly Typed[], index: number): Typed => {
    const found = pieces[index];
    if (!found) throw new Error(`the document has ${pieces.length} pieces here`);
    return found;
  };

  async function install(): Promise<string> {
    const [pack, unpack] = [0, 1].map((index) => piece(typedIn('deploying.md', 'On a robot'), index)) as [Typed, Typed]; // as: both are there
    await robot.type(pack, { values: { 'npm run build && ': '' } });
    await robot.take('robot-rest.tar.gz');
    const printed = await robot.type(unpack);
    await robot.writeSettings();
    for (const restart of inSection('1. Install')) await robot.type(restart);
    return printed;
  }

  /** With the first key, of which a key of one's own is made. @returns what was printed over there. */
  async function signIn(): Promise<string> {
    const pieces = typedIn('deploying.md', 'TLS');
    const certificate = await robot.type(piece(pieces, 0));
    await robot.bring('robot.crt');
    const [pin = ''] = /sha256\/\/\S+/.exec(certificate) ?? [];
    await robot.type(piece(pieces, 1), { values: { 'sha256//q83v…': pin } });
    const key = (await robot.type(piece(pieces, 2))).trim();
    const first = Object.values(await keyIds())[0] ?? '';
    return robot.type(piece(pieces, 3), { values: { d41f0e92ab37: first }, key });
  }

  const addRow = (name: string) =>
    robot.here(
      `api -H "$JSON" -d '{"tablename":"categories_table","item":{"name":"${name}"}}' "$ROBOT/api/v2/database/add_item/"`,
    );
  const rows = () => robot.here('api "$ROBOT/api/v2/database/read/?tablename=categories_table"');
  const skills = () => run('cd /var/lib/robot-rest/skills && ls *.py || true');

  it('begins with install.sh, which prints the fingerprint', async () => {
    const printed = await install();
    expect(printed).toMatch(/^Installed: /m);
    expect(printed).toMatch(/^SHA-256 fingerprint: /m);
    expect(await run('systemctl is-active robot-rest robot-rest-guard')).toBe('active\nactive\n');
  });

  it('gets a key of its operator in place of the first one', async () => {
    expect(await signIn()).toContain('"name":"laptop of Ada"');
    const ids = await keyIds();
    const [health, pair] = inSection('2. The first key');
    if (!health || !pair) throw new Error('two pieces were expected');
    expect(JSON.parse(await robot.type(health)).parts).toHaveProperty('guard');
    const paired = await robot.type(pair, { values: { d41f0e92ab37: ids['laptop of Ada'] ?? '' } });
    expect(paired).toContain('"code"');
    expect(await run(`ls ${FIRST_KEY} 2>/dev/null || true`)).toBe('');
    expect(Object.keys(await keyIds())).toEqual(['laptop of Ada']);
  });

  it('joins a network, and is trusted at its new address', async () => {
    const [join, certificate] = inSection('3. Wi-Fi');
    if (!join || !certificate) throw new Error('two pieces were expected');
    const joined = await robot.type(join, { values: { ...HOME_NET, simulated: 'correct horse' } });
    expect(joined).toContain('"connected":true');
    expect(joined).toContain('"last_configure"');
    const [address = ''] = /10\.66\.1\.\d+/.exec(await run('ip -brief address show wlan0')) ?? [];
    expect(address).not.toBe('');
    const isNew = async () => (await run('robot-rest-admin certificate')).includes(address);
    await until('the certificate has the address', isNew, 2 * PATIENCE);
    await robot.type(certificate);
    await robot.bring('robot.crt');
    await robot.here(`curl -sS "https://${address}:8443/status"`);
  });

  it('is kept in one file', async () => {
    await addRow('kept');
    await robot.guest.put('/root/greet.py', '@skill()\ndef greet():\n    pass\n');
    await run('install -o robot-rest -g robot-skills -m 640 /root/greet.py /var/lib/robot-rest/skills/greet.py');
    const printed = await robot.type(piece(inSection('4. Back up'), 0));
    expect(printed).toMatch(/"path":"skills\/greet.py"/);
  });

  it('says in one file what went wrong', async () => {
    const values = {
      '2027-03-01T08:00:00Z': new Date(Date.now() - 3_600_000).toISOString(),
      '2027-03-01T09:00:00Z': new Date().toISOString(),
    };
    await robot.type(piece(inSection('When something went wrong'), 0), { values });
    const files = (await robot.here('ls incident-*.tar.gz')).trim().split('\n');
    expect(files).toHaveLength(2);
    for (const file of files) {
      const members = execFileSync('tar', ['-tzf', join(robot.folder, file)], { encoding: 'utf8' });
      expect(members).toMatch(/logs\/0001\.log[\s\S]*incident\.json/);
    }
  });

  it('ends, and nothing is left of it', async () => {
    expect(await robot.type(piece(inSection('7. Retire'), 0))).toContain('including all data');
    const left = 'ls -d /var/lib/robot-rest /etc/robot-rest /opt/robot-rest /run/robot-rest* 2>/dev/null || true';
    expect(await run(left)).toBe('');
    expect(await run("systemctl list-units --all --plain --no-legend 'robot-rest*'")).toBe('');
  });

  it('goes on with other hardware, which can go back to what it was', async () => {
    await run('rm -r /root/robot-rest');
    await install();
    await signIn();
    expect(await rows()).not.toContain('"kept"');
    const [restore, goBack] = inSection('5. New hardware, or back to an earlier state');
    if (!restore || !goBack) throw new Error('two pieces were expected');
    const [tried = '', restored = ''] = (await robot.type(restore)).split('\n').filter(Boolean);
    expect(JSON.parse(tried)).toMatchObject({ backup: null });
    const { backup, restored: parts } = JSON.parse(restored);
    expect(parts).toEqual(expect.arrayContaining(['database', 'skills']));
    expect(await rows()).toContain('"kept"');
    expect(await skills()).toContain('greet.py');
    await robot.type(goBack, { values: { 'robot-000001-20260401T120000Z.tar.gz': backup } });
    expect(await rows()).not.toContain('"kept"');
    expect(await skills()).not.toContain('greet.py');
  });

  describe('with robot-rest-admin, which asks the socket,', () => {
    beforeAll(async () => {
      await expect(run('robot-rest-admin robot archives')).rejects.toThrow(/403|access/i);
      await robot.writeSettings('SERVICE_SOCKET_ACCESS_LEVEL=ENCHANTER\n');
      await run('systemctl restart robot-rest');
    });

    it('is kept, and is there again after a restore that was killed in the middle', async () => {
      await addRow('second');
      await run('cp -p /root/greet.py /var/lib/robot-rest/skills/second.py && chmod 644 /var/lib/robot-rest/skills/*');
      await run('cd /root && robot-rest-admin robot backup --output robot.tar.gz');
      await run('rm /var/lib/robot-rest/skills/second.py');
      await addRow('third');
      // From the shell itself: what is started for a kill comes too late.
      const killed = await run(`pid=$(systemctl show -P MainPID robot-rest)
        for attempt in $(seq 5); do
          robot-rest-admin robot restore /root/robot.tar.gz & asked=$!
          until [ -e ${ARCHIVES}/restore.json ] || ! kill -0 $asked 2>/dev/null; do :; done
          [ ! -e ${ARCHIVES}/restore.json ] || { kill -KILL $pid; echo killed; break; }
        done 2>&1`);
      expect(killed).toMatch(/killed$/m);
      await until('the service is back', () => robot.here('curl -fsS "$ROBOT/status"').catch(() => false), PATIENCE);
      expect(await run(`ls ${ARCHIVES}/restore*.json 2>/dev/null || true`)).toBe('');
      expect(await rows()).toContain('"second"');
      expect(await rows()).not.toContain('"third"');
      expect(await skills()).toContain('second.py');
    });

    it('gives its incident to support', async () => {
      await run('cd /root && robot-rest-admin incident --unit head/robot-rest.service --output incident.tar.gz');
      const log = await run('tar -xzOf /root/incident.tar.gz logs/0001.log');
      expect(log).toMatch(/head robot-rest\.service/);
      expect(log).toContain('a restore of the whole robot was interrupted');
    });
  });

  it('is handed over: no key, token or network of its operator is left', async () => {
    const [keys, networks] = inSection('6. Hand over');
    if (!keys || !networks) throw new Error('two pieces were expected');
    const [mine = ''] = Object.values(await keyIds());
    const printed = await robot.type(keys, { values: { d41f0e92ab37: mine } });
    expect(Object.keys(await keyIds())).toEqual(['new owner']);
    const isRefused = () =>
      robot.here(listKeys).then(
        () => false,
        ({ message }) => message.includes('401'),
      );
    await until('the token of the former owner is refused', isRefused, PATIENCE);
    const [theirs = ''] = printed.split('\n');
    const signedIn = () => robot.here(`sign_in; ${listKeys}`, theirs).catch(() => false as const);
    expect(await until('the new owner is let in', signedIn, PATIENCE)).toContain('"new owner"');
    expect(await robot.type(networks, { values: HOME_NET })).toContain('HomeNet');
    expect(await run('nmcli -g NAME connection show')).not.toContain('HomeNet');
  });

  it('is all that the document has people type', () => {
    const scripts = typedIn('operating.md').map(({ script }) => script);
    expect(scripts.filter((script) => !robot.typed.has(script))).toEqual([]);
  });
});
