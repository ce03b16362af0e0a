import { API_KEY, type Running } from './servers.ts';

/** A token of the running service. */
export async function tokenOf({ port }: Running): Promise<string> {
  const { headers } = await fetch(`http://127.0.0.1:${port}/api/v2/auth/`, { headers: { 'x-api-key': API_KEY } });
  return String(headers.get('authorization')).slice('Bearer '.length);
}
