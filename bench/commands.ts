/**
 * The command path: one authenticated JSON command with schema validation and ES256 tokens, on this service and on its
 * peers, which all run at the same time and are driven in turn.
 */
import { setTimeout } from 'node:timers/promises';
import { drive, type Load, type Measured, median } from './load.ts';
import { type CommandRow, type MemoryRow, OURS } from './results.ts';
import { type Running, residentMb, startFastApi, startPeer, startService } from './servers.ts';
import { tokenOf } from './token.ts';

const CONNECTIONS = [1, 32, 256];
const BODY = JSON.stringify({ command: 'is_detected', value: 'rune-1' });
/** The same with an action, which the service also writes to its audit trail; the peers have none. */
const ACTION = JSON.stringify({ command: 'set_language', value: 'en' });
/** Time for servers to release memory after load. */
const REST_MS = 45_000;

/** Drives each server with each number of connections. */
export async function commandRows(
  rounds: number,
  seconds: number,
): Promise<{ commands: CommandRow[]; memory: MemoryRow[] }> {
  const service = await startService();
  const token = await tokenOf(service);
  const peers = [
    await startPeer('bare'),
    service,
    await startPeer('fastify'),
    await startPeer('express'),
    await startFastApi(),
  ];
  const servers = peers.filter((server): server is Running => server !== undefined);
  const afterStart = servers.map(({ child }) => residentMb(child));
  const commands: CommandRow[] = [];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const load = (port: number, connections: number, body = BODY): Load => ({
    url: `http://127.0.0.1:${port}/api/v1/str/`,
    method: 'POST',
    headers,
    body,
    connections,
    seconds,
  });

  for (const connections of CONNECTIONS) {
    const measured = new Map<string, Measured[]>(servers.map(({ name }) => [name, []]));
    for (let round = 0; round <= rounds; round += 1) {
      for (const { name, port } of servers) {
        const warmUp = round === 0;
        const one = await drive({ ...load(port, connections), seconds: warmUp ? 1 : seconds });
        if (!warmUp) measured.get(name)?.push(one);
      }
    }
    for (const [name, all] of measured) commands.push({ name, connections, ...median(all) });
    const action = await drive(load(service.port, connections, ACTION));
    commands.push({ name: `${OURS}, audited action`, connections, ...action });
  }
  const afterLoad = servers.map(({ child }) => residentMb(child));
  await setTimeout(REST_MS);
  const memory = servers.map(({ name, child }, index) => ({
    name,
    after_start: afterStart[index] ?? 0,
    after_load: afterLoad[index] ?? 0,
    at_rest: residentMb(child),
  }));
  await Promise.all(servers.map((server) => server.stop()));
  return { commands, memory };
}
