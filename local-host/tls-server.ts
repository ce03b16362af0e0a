import type { Server, ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { TlsCertificate } from '../functions/shared/adapters/tls-certificate/port.ts';
import type { Logger } from '../functions/shared/logger.ts';

/**
 * An HTTP server behind TLS 1.2 or newer. A renewed certificate is taken up by the next connection, without a restart. A
 * handshake may take as long as the headers of a request may.
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
  // A connection that never became TLS can take no HTTP answer; node would hand it to the parser's error handler.
  server
    .removeAllListeners('tlsClientError')
    .on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      logger.info({ listener: 'tcp', tls: error.code, address: socket.remoteAddress }, 'no request');
      socket.destroy();
    });
  return server;
}
