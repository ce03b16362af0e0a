import { ConfigError } from '../../functions/shared/config.ts';
import { unavailable } from '../../functions/shared/errors.ts';
import type { StreamServer } from './port.ts';

const RESPONSE_TIMEOUT_MS = 5_000;

/**
 * A MediaMTX server, through its control API. A user and password in the URL are sent as HTTP Basic, never in a URL.
 * @throws ConfigError that names the setting but never its value, which may contain a password.
 */
export function openMediaMtx(apiUrl: string | undefined): StreamServer {
  if (apiUrl === undefined) throw unavailable('stream server', 'Set SERVICE_MEDIAMTX_API_URL.');
  const url = new URL(apiUrl);
  const headers: Record<string, string> = {};
  if (url.username !== '') {
    const secret = `${decode(url.username)}:${decode(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(secret).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  const target = `${url.href.replace(/\/$/, '')}/v3/auth/jwks/refresh`;
  return {
    async refreshKeys(signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]);
      const answer = await fetch(target, { method: 'POST', headers, signal: limit, redirect: 'error' });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`the stream server answered ${answer.status}`);
    },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigError('SERVICE_MEDIAMTX_API_URL: a "%" in the user or password must be escaped as "%25"');
  }
}
