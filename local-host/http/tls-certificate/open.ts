import { type Config, ConfigError } from '../../../functions/shared/config.ts';
import type { Logger } from '../../../functions/shared/observability/logger.ts';
import type { TlsCertificate } from './port.ts';

/**
 * The configured certificate; undefined if none is configured, in which case there is no TLS listener.
 * @throws ConfigError with one line when only one of the two files is configured, or one of them is invalid.
 */
export async function openTlsCertificate(
  config: Config,
  logger: Logger,
  clock: () => number,
): Promise<TlsCertificate | undefined> {
  const { SERVICE_TLS_CERT_PATH: certPath, SERVICE_TLS_KEY_PATH: keyPath } = config;
  if (certPath === undefined && keyPath === undefined) return undefined;
  if (certPath === undefined || keyPath === undefined) {
    const [given, missing] = certPath === undefined ? ['KEY', 'CERT'] : ['CERT', 'KEY'];
    throw new ConfigError(
      `SERVICE_TLS_${given}_PATH is set without SERVICE_TLS_${missing}_PATH. Set both for a TLS listener, or neither.`,
    );
  }
  const { CertificateFiles } = await import('./files.ts');
  return new CertificateFiles({ certPath, keyPath, logger, clock });
}
