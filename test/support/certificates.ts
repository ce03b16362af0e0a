import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const OPENSSL = '/usr/bin/openssl';

/** A self-signed certificate for localhost in files of its own, as an operator would make it. */
export function makeCertificate(folder: string, name: string) {
  const certPath = join(folder, `${name}.crt`);
  const keyPath = join(folder, `${name}.key`);
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync(OPENSSL, ['req', ...kind, ...subject, '-keyout', keyPath, '-out', certPath], { stdio: 'ignore' });
  return { certPath, keyPath, cert: readFileSync(certPath, 'utf8'), key: readFileSync(keyPath, 'utf8') };
}

/** The same key under a passphrase. */
export function encrypted(keyPath: string): string {
  const args = ['pkcs8', '-topk8', '-in', keyPath, '-passout', 'pass:horse'];
  return execFileSync(OPENSSL, args, { encoding: 'utf8' });
}
