/** The work that all peers share, so that only the framework differs: validate, run and answer one command. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';

export const PORT = Number(process.env.PORT);
export const ISSUER = 'bench';

/** The key pair of this run, passed as PEM by the benchmark. */
export function keys(): { privateKey: KeyObject; publicKey: KeyObject; publicPem: string; privatePem: string } {
  const pem =
    process.env.BENCH_KEY ??
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  return {
    privateKey,
    publicKey,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privatePem: pem,
  };
}

/** The command: whether the robot sees a rune. */
const detected = new Set(['rune-1']);

export function isDetected(rune: string): boolean {
  return detected.has(rune);
}

export const BODY_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['command', 'value'],
  properties: {
    command: { type: 'string', minLength: 1, maxLength: 128 },
    value: { type: 'string', maxLength: 16_384 },
  },
} as const;

/** Reports that the peer is ready. */
export function ready(): void {
  process.stdout.write('ready\n');
}
