import type { Server, ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { Logger } from '../../functions/shared/observability/logger.ts';
import type { TlsCertificate } from './tls-certificate/port.ts';

/**
 * An HTTP server over TLS 1.2 or newer. A renewed certificate applies from the next connection on, without a restart.
 * The handshake has the same timeout as request headers.
 */
export function createTlsServer(options: ServerOptions, certificate: TlsCertificate, logger: Logger): Server {
  const server = createServer({
    ...options,
    ...certificate.current(),
    minVersion: 'TLSv1.2',
    ...(options.headersTimeout === undefined ? {} : { handshakeTimeout: options.headersTimeout }),
  });
  let used = certificate.current();
  server.prependListener('connection', () => {
    const now = certificate.current();
    if (now === used) return;
    used = now;
    server.setSecureContext({ ...now, minVersion: 'TLSv1.2' });
  });
  // A failed handshake cannot be answered over HTTP, but Node would pass it to the clientError handler.
  server
    .removeAllListeners('tlsClientError')
    .on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      logger.info({ listener: 'tcp', tls: error.code, address: socket.remoteAddress }, 'TLS handshake failed');
      socket.destroy();
    });
  return server;
}
