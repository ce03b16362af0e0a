import { tokenRenewals } from '../identity/ports.ts';
import { bearerToken } from './bearer-token.ts';
import type { PipelineRequest, Result } from './exchange.ts';

const USES = { tokenRenewals };

/** Sends a new token to a v1 client whose own is about to expire: the vendor's client takes it from the response. */
export async function renewToken({ event, context: { exchange }, response }: PipelineRequest): Promise<void> {
  const { caller, host } = exchange;
  if (!caller || !event.rawPath.includes('/api/v1/') || host.ports.config.inCloud) return;
  const resolved = host.ports.resolve(USES);
  const { tokenRenewals } = resolved instanceof Promise ? await resolved : resolved;
  if (!tokenRenewals.isDue(caller, host.listener)) return;
  const token = await tokenRenewals.renew(bearerToken(event.headers.authorization));
  const { headers } = response as Result; // as: it has just been rendered
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
}
