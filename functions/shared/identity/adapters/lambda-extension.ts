import * as z from 'zod';
import { unavailable } from '../../errors.ts';
import type { Secrets } from '../secrets.port.ts';

/** Where the extension listens, and the session token it asks for so that only this function can read from it. */
interface ExtensionAddress {
  readonly port: number;
  readonly token: string;
}

const Answer = z.object({ SecretString: z.string().min(1) });
const TIMEOUT_MS = 5000;

/**
 * Secrets of AWS Secrets Manager, through the AWS Parameters and Secrets Lambda Extension: a process beside the
 * function that asks with the function's own role and remembers the answers for as long as SECRETS_MANAGER_TTL says.
 */
export function secretsOfExtension({ port, token }: ExtensionAddress): Secrets {
  return {
    async read(name) {
      try {
        const url = `http://127.0.0.1:${port}/secretsmanager/get?secretId=${encodeURIComponent(name)}`;
        const response = await fetch(url, {
          headers: { 'x-aws-parameters-secrets-token': token },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        // The body of a refusal is not repeated: it is not ours and may say anything.
        if (!response.ok) throw new Error(`the extension answered ${response.status}`);
        return Answer.parse(await response.json()).SecretString;
      } catch (cause) {
        const remedy = 'The function must have the extension as a layer, and a role that may read the secret.';
        throw unavailable('secrets', remedy, cause);
      }
    },
  };
}
