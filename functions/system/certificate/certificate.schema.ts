import * as z from 'zod';

export const Certificate = z
  .strictObject({
    sha256: z.string().describe('fingerprint of the certificate, as browsers show it; another one after each renewal'),
    public_key_sha256: z
      .string()
      .describe('SHA-256 of the public key in base64, for `curl --pinnedpubkey sha256//…`; a renewal keeps it'),
    self_signed: z.boolean().describe('true: clients must be configured to trust it'),
    names: z.array(z.string()).describe('names and addresses that it is good for'),
    not_before: z.iso.datetime(),
    not_after: z.iso.datetime(),
    pem: z.string().describe('the certificate, for `curl --cacert` and the like'),
  })
  .meta({ id: 'Certificate' });
export type Certificate = z.output<typeof Certificate>;

export const TlsState = z
  .strictObject({
    port: z.int().min(1).max(65535).nullable().describe('of the TLS listener'),
    certificate: Certificate.nullable(),
  })
  .meta({
    id: 'TlsState',
    example: {
      port: 8443,
      certificate: {
        sha256: '5F:3A:C6:0B:71:9E:24:D8:4C:17:EE:90:A2:35:6B:F1:08:DD:47:93:BC:5E:2A:60:F9:1C:84:37:AB:D0:E6:52',
        public_key_sha256: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
        self_signed: true,
        names: ['robot-1', 'robot-1.local', 'localhost', '192.168.1.20', '127.0.0.1', '::1'],
        not_before: '2026-05-03T10:20:30.000Z',
        not_after: '2028-07-12T10:20:30.000Z',
        pem: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
      },
    },
  });
