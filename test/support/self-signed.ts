import { once } from 'node:events';
import { connect } from 'node:tls';
import { http } from './http.ts';
import type { TestService } from './service.ts';

export const SELF_SIGNED = { SERVICE_TLS_SELF_SIGNED: '1', SERVICE_TLS_PORT: '0' };

/** The TLS listener and its certificate, as the service tells them. */
export async function certificateOf(service: TestService) {
  return (await service.as('USER', '/api/v2/certificate/')).json;
}

/** What `/health/ready` says of TLS. */
export async function tlsPart(service: TestService) {
  return (await http(service.url, '/health/ready')).json.parts.tls;
}

/** SHA-256 of the certificate that a port shows. */
export async function shownOn(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}
