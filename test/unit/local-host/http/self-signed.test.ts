import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { alternativeNames, describeCertificate } from '../../../../functions/system/certificate/certificate.ts';
import { type HostNames, temporaryIn } from '../../../../local-host/http/tls-certificate/self-signed/host-names.ts';
import { issueCertificate } from '../../../../local-host/http/tls-certificate/self-signed/issue.ts';
import { SelfSignedCertificate } from '../../../../local-host/http/tls-certificate/self-signed/self-signed-certificate.ts';
import { temporaryFolder } from '../../../support/world.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2027-03-01T12:00:00Z');
const AT_HOME: HostNames = { dns: ['robot-1', 'robot-1.local', 'localhost'], addresses: ['192.168.1.20', '::1'] };

describe('A certificate that the service makes for itself', () => {
  let folder: string;
  let certPath: string;
  let keyPath: string;
  let now: number;
  let names: HostNames;
  let certificate: SelfSignedCertificate;
  beforeEach(() => {
    folder = join(temporaryFolder(), 'data');
    [certPath, keyPath] = [join(folder, 'tls-certificate.pem'), join(folder, 'tls-key.pem')];
    [now, names] = [START, AT_HOME];
    certificate = new SelfSignedCertificate({ certPath, keyPath, names: () => names, clock: () => now });
  });
  const present = () => new X509Certificate(readFileSync(certPath));
  const pin = () => describeCertificate(readFileSync(certPath, 'utf8')).public_key_sha256;

  it('has a P-256 key of its own that only its owner can read, and the names and addresses of the machine', async () => {
    expect(await certificate.renew()).toBe('there was none');
    const made = present();
    expect(createPrivateKey(readFileSync(keyPath)).asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect([keyPath, certPath].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(made.checkPrivateKey(createPrivateKey(readFileSync(keyPath)))).toBe(true);
    expect(made.verify(made.publicKey)).toBe(true);
    expect(alternativeNames(made)).toEqual(AT_HOME);
    expect(made.ca).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['tls-certificate.pem', 'tls-key.pem']);
  });

  it('is valid for a client whose clock is a day behind, and no longer than Apple allows', async () => {
    await certificate.renew();
    const { validFrom, validTo } = present();
    expect(Date.parse(validFrom)).toBe(START - DAY_MS);
    expect(Date.parse(validTo) - Date.parse(validFrom)).toBeLessThanOrEqual(825 * DAY_MS);
  });

  it('is made as of the day of the build by a clock that is far behind', async () => {
    now = Date.parse('1970-01-01T00:10:00Z');
    await certificate.renew();
    expect(Date.parse(present().validTo)).toBeGreaterThan(Date.parse('2028-01-01T00:00:00Z'));
  });

  it('stays as it is while nothing changes', async () => {
    await certificate.renew();
    const before = readFileSync(certPath, 'utf8');
    now += 700 * DAY_MS;
    expect(await certificate.renew()).toBeUndefined();
    expect(readFileSync(certPath, 'utf8')).toBe(before);
  });

  const wait = (days: number) => {
    now += days * DAY_MS;
  };
  const become = (others: Partial<HostNames>) => {
    names = { ...names, ...others };
  };

  it.each<[string, () => void]>([
    ['before it ends', () => wait(745)],
    ['when the clock was ahead as it was made', () => wait(-40)],
    ['for a new name', () => become({ dns: ['robot-2', ...AT_HOME.dns] })],
    ['for a new address', () => become({ addresses: ['10.0.0.7', ...AT_HOME.addresses] })],
    ['when it is lost', () => rmSync(certPath)],
  ])('is renewed %s, with the same key', async (_when, change) => {
    await certificate.renew();
    const [before, pinned] = [present().fingerprint256, pin()];
    change();
    expect(await certificate.renew()).toEqual(expect.any(String));
    expect(present().fingerprint256).not.toBe(before);
    expect(pin()).toBe(pinned);
    expect(alternativeNames(present())).toEqual({
      dns: expect.arrayContaining([...names.dns]),
      addresses: expect.arrayContaining([...names.addresses]),
    });
    expect(await certificate.renew()).toBeUndefined();
  });

  it('keeps former addresses, so that a robot that comes back to a network keeps its certificate', async () => {
    await certificate.renew();
    names = { ...AT_HOME, addresses: ['10.0.0.7', '::1'] };
    await certificate.renew();
    names = AT_HOME;
    expect(await certificate.renew()).toBeUndefined();
    for (let network = 0; network < 40; network += 1) {
      names = { ...AT_HOME, addresses: [`10.1.${network}.7`, '::1'] };
      await certificate.renew();
    }
    expect(alternativeNames(present()).addresses).toHaveLength(24);
    expect(alternativeNames(present()).addresses).toContain('10.1.38.7');
  });

  it('is made for a new key when that was removed', async () => {
    await certificate.renew();
    const before = pin();
    rmSync(keyPath);
    expect(await certificate.renew()).toBe('the key was new');
    expect(pin()).not.toBe(before);
  });

  it('never replaces one that somebody else has put in its place', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const [notBefore, notAfter] = [new Date(START), new Date(START + DAY_MS)];
    const cert = issueCertificate({ key: privateKey, organization: 'Example', names: AT_HOME, notBefore, notAfter });
    const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    mkdirSync(folder, { recursive: true });
    writeFileSync(certPath, cert);
    writeFileSync(keyPath, key, { mode: 0o600 });
    now += 5000 * DAY_MS;
    expect(await certificate.renew()).toBeUndefined();
    expect([readFileSync(certPath, 'utf8'), readFileSync(keyPath, 'utf8')]).toEqual([cert, key]);
  });

  it.each<[string, () => void, RegExp]>([
    ['a key that others can read', () => chmodSync(keyPath, 0o640), /^tls-key\.pem .*others than its owner/],
    ['a damaged key', () => writeFileSync(keyPath, 'hello'), /^tls-key\.pem .*no PEM private key/],
    ['an empty key', () => writeFileSync(keyPath, ''), /^tls-key\.pem .*no PEM private key/],
    ['a damaged certificate', () => writeFileSync(certPath, 'half a certif'), /^tls-certificate\.pem .*no PEM/],
  ])('is left alone with %s, and the reason names the file', async (_name, damage, reason) => {
    await certificate.renew();
    damage();
    const before = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]);
    await expect(certificate.renew()).rejects.toMatchObject({
      name: 'FileFault',
      message: expect.stringMatching(reason),
    });
    expect(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs])).toEqual(before);
  });
});

describe('The addresses of the privacy extensions', () => {
  it('are recognized in the table of the kernel', () => {
    const table = [
      'fd000000000000000000000000000002 02 40 00 80     eth0',
      '20010db800010000a1b2c3d4e5f60708 02 40 00 01     eth0',
      '00000000000000000000000000000001 01 80 10 80       lo',
    ];
    expect([...temporaryIn(`${table.join('\n')}\n`)]).toEqual(['2001:db8:1:0:a1b2:c3d4:e5f6:708']);
  });
});
