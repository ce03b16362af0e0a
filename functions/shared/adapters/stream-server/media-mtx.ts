import { ConfigError } from '../../config.ts';
import { unavailable } from '../../errors.ts';
import type { StreamServer } from './port.ts';

const ANSWER_MS = 5_000;

/**
 * A MediaMTX server by its control API. A user and password in the URL are sent as HTTP Basic, never as part of a URL.
 * @throws ConfigError that names the setting and repeats nothing of the value, which may hold a password.
 */
export function openMediaMtx(apiUrl: string | undefined): StreamServer {
  if (apiUrl === undefined) throw unavailable('stream server', 'Set SERVICE_MEDIAMTX_API_URL.');
  const url = new URL(apiUrl);
  const headers: Record<string, string> = {};
  if (url.username !== '') {
    const secret = `${unescaped(url.username)}:${unescaped(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(secret).toString('base64')}`;
    url.username = '';
    url.password = '';
  }
  const target = `${url.href.replace(/\/$/, '')}/v3/auth/jwks/refresh`;
  return {
    async refreshKeys(signal) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      const answer = await fetch(target, { method: 'POST', headers, signal: limit, redirect: 'error' });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`the stream server answered ${answer.status}`);
    },
  };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigError('SERVICE_MEDIAMTX_API_URL: the user or the password has a "%" that is not escaped as "%25"');
  }
}
