import { type Port, port } from '../../../functions/shared/port.ts';
import type { TlsCertificate } from './port.ts';

/** The certificate of the TLS listener, if SERVICE_TLS_CERT_PATH and SERVICE_TLS_KEY_PATH are set. */
export const tlsCertificate: Port<TlsCertificate | undefined> = port('TLS certificate', async (ports) => {
  const { openTlsCertificate } = await import('./open.ts');
  return openTlsCertificate(ports.config, ports.logger, ports.clock);
});
