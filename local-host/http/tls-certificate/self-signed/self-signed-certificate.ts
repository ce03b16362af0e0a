import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { fstatSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { BUILT_AT } from '../../../../functions/shared/build-info.ts';
import { isDiskFull } from '../../../../functions/shared/kit/error-code.ts';
import { createFileOnce, replaceFile } from '../../../../functions/shared/kit/files/replace-file.ts';
import {
  FileFault,
  faultOf,
  type ReadFile,
  requirePrivate,
} from '../../../../functions/shared/kit/files/watched-file.ts';
import { withFile } from '../../../../functions/shared/kit/files/with-file.ts';
import { alternativeNames } from '../../../../functions/system/certificate/certificate.ts';
import type { HostNames } from './host-names.ts';

/** Who issued it: a certificate of anybody else is never replaced. */
const ORGANIZATION = 'Robot REST service (self-signed)';
const DAY_MS = 86_400_000;
/** Apple's systems accept no certificate that is valid for more than 825 days. */
const VALID_DAYS = 800;
const RENEW_DAYS = 60;
/** Former names and addresses are kept up to so many, so that a robot that changes between networks keeps its certificate. */
const MAX_NAMES = 12;
const MAX_ADDRESSES = 24;

interface Parts {
  readonly certPath: string;
  readonly keyPath: string;
  readonly names: () => HostNames;
  readonly clock: () => number;
}

/**
 * The files of a certificate that the service makes for itself. The key is made once and kept, so that a client may pin it;
 * the certificate is made anew 60 days before its end and when it lacks a name or an address of the machine.
 */
export class SelfSignedCertificate {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Makes what is missing or due.
   * @returns why a certificate was made; undefined if the present one is good, or somebody else's.
   * @throws FileFault naming the file; what was there is then unchanged.
   */
  async renew(): Promise<string | undefined> {
    const { certPath, keyPath, names, clock } = this.#parts;
    const key = naming(keyPath, () => {
      createFileOnce(keyPath, newKey);
      return readKey(keyPath);
    });
    const present = naming(certPath, () => readCertificate(certPath));
    // A clock before the day of the build is wrong; those of the clients are not.
    const now = Math.max(clock(), BUILT_AT);
    const wanted = names();
    const reason = present === undefined ? 'there was none' : whyRenew(present, key, wanted, now);
    if (reason === undefined) return undefined;
    const { issueCertificate } = await import('./issue.ts');
    const text = issueCertificate({
      key,
      organization: ORGANIZATION,
      names: withFormer(wanted, present),
      notBefore: new Date(now - DAY_MS),
      notAfter: new Date(now + VALID_DAYS * DAY_MS),
    });
    naming(certPath, () => replaceFile(certPath, text));
    return reason;
  }
}

/** Whether the service made this certificate for itself. */
export function isSelfSigned({ subject, issuer }: X509Certificate): boolean {
  return subject === issuer && subject.split('\n').includes(`O=${ORGANIZATION}`);
}

function whyRenew(present: X509Certificate, key: KeyObject, { dns, addresses }: HostNames, now: number) {
  if (!isSelfSigned(present)) return undefined;
  if (!present.checkPrivateKey(key)) return 'the key was new';
  if (Date.parse(present.validTo) - now < RENEW_DAYS * DAY_MS) return 'the last one was about to end';
  if (Date.parse(present.validFrom) > now) return 'the last one was made by a clock that was ahead';
  const named = dns.every((name) => present.checkHost(name, { subject: 'never', wildcards: false }) !== undefined);
  const addressed = addresses.every((address) => present.checkIP(address) !== undefined);
  return named && addressed ? undefined : 'this machine has a new name or address';
}

/** The present names first, then those of the last certificate. */
function withFormer({ dns, addresses }: HostNames, present: X509Certificate | undefined): HostNames {
  const former = present === undefined ? { dns: [], addresses: [] } : alternativeNames(present);
  return {
    dns: [...new Set([...dns, ...former.dns])].slice(0, MAX_NAMES),
    addresses: [...new Set([...addresses, ...former.addresses])].slice(0, MAX_ADDRESSES),
  };
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

function readKey(path: string): KeyObject {
  const file = read(path);
  const remedy = 'as the key may have leaked, remove it and tls-certificate.pem: others are made within a minute';
  requirePrivate(file, remedy);
  try {
    return createPrivateKey(file.text);
  } catch (error) {
    throw new FileFault(
      'it contains no PEM private key, or a damaged one; remove it: another is made within a minute',
      {
        cause: error,
      },
    );
  }
}

function readCertificate(path: string): X509Certificate | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const { text } = read(path);
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw new FileFault('it contains no PEM certificate; remove it: another is made within a minute', { cause: error });
  }
}

function read(path: string): ReadFile {
  return withFile(path, 'r', (file) => ({ text: readFileSync(file, 'utf8'), mode: fstatSync(file).mode }));
}

/** Names the file in whatever goes wrong, without its folder: anybody may read it. */
function naming<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = isDiskFull(error) ? 'the disk is full' : faultOf(error).message;
    throw new FileFault(`${basename(path)} in the data folder: ${why}`, { cause: error });
  }
}
