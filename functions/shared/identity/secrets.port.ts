/** Texts that are kept apart from the configuration, each under the name the platform gives it. */
export interface Secrets {
  /**
   * The present text of a secret, at most a minute old.
   * @throws ServiceError `component_unavailable` when it cannot be read; the message holds no part of it.
   */
  read(name: string): Promise<string>;
}

/** Whether a setting names a secret of AWS Secrets Manager instead of holding its text. */
export function isSecretName(value: unknown): value is string {
  return typeof value === 'string' && /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:\S+$/.test(value);
}
