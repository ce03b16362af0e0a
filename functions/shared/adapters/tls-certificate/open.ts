import { type Config, ConfigError } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import type { TlsCertificate } from './port.ts';

/**
 * The certificate the configuration names, or undefined when it names none and there is no TLS listener.
 * @throws ConfigError in one line when only one of the two files is named, or one of them cannot be used.
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
