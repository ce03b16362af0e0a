import type { Certificate } from '../../../functions/system/certificate/certificate.schema.ts';
import { CommandError } from '../entry.ts';
import { type Action, note, parse, print } from './actions.ts';
import type { SocketClient } from './socket-client.ts';

interface TlsState {
  readonly port: number | null;
  readonly certificate: Certificate | null;
}

const tlsState = (service: SocketClient) => service.json<TlsState>('certificate/');

export const pair: Action = (words) => {
  const { values } = parse(words, { level: { type: 'string' }, key: { type: 'string' } }, []);
  return async (service) => {
    const code = await service.json<{ code: string }>('auth/pairing', { method: 'POST', body: values });
    const tls = await tlsState(service);
    print({ ...code, ...(tls.certificate === null ? {} : { link: linkOf(tls, code.code) }) });
    if (tls.certificate) note(`Fingerprint of the certificate, SHA-256: ${tls.certificate.sha256}`);
    if (values.key === undefined) {
      note('Without --key the other device is signed out after 30 minutes: its token belongs to the Unix socket.');
    }
  };
};

/** What the console takes; by the name that needs no DNS server. */
function linkOf({ port, certificate }: TlsState, code: string): string {
  const names = certificate?.names ?? [];
  const host = names.find((name) => name.endsWith('.local')) ?? names[0] ?? 'localhost';
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}/#pair=${code}`;
}

export const certificate: Action = (words) => {
  const { values } = parse(words, { pem: { type: 'boolean' } }, []);
  return async (service) => {
    const { port, certificate } = await tlsState(service);
    if (!certificate) throw new CommandError('The service has no TLS listener. /health/ready and its log say why.');
    if (values.pem) return void process.stdout.write(certificate.pem);
    process.stdout.write(
      [
        `SHA-256 fingerprint: ${certificate.sha256}`,
        `Public key, for curl --pinnedpubkey: sha256//${certificate.public_key_sha256}`,
        `Port: ${port}`,
        `Names: ${certificate.names.join(', ')}`,
        `Valid until: ${certificate.not_after}`,
        '',
      ].join('\n'),
    );
  };
};
