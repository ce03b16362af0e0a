import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { TlsState } from './certificate.schema.ts';
import { describeCertificate } from './certificate.ts';
import { servedTls } from './ports.ts';

/** GET /api/v2/certificate/: the certificate of the TLS listener. Any valid token. */
export const handler = endpoint({
  access: 'any-token',
  summary: 'Read the TLS certificate and its fingerprints',
  description:
    'To compare with what a browser shows, or to hand to another client. Over plain HTTP somebody in between could answer instead: ask over the Unix socket or over a TLS connection that is trusted already. Without a TLS listener both members are null.',
  output: TlsState,
  uses: { servedTls },
}).handler((_call, { servedTls }) => {
  const served = servedTls();
  return { port: served?.port ?? null, certificate: served ? describeCertificate(served.pem) : null };
});
