import { join } from 'node:path';
import type { AccessLevel } from '../../functions/shared/access.ts';
import type { Config } from '../../functions/shared/config.ts';
import { tokens } from '../../functions/shared/identity/ports.ts';
import type { Tokens } from '../../functions/shared/identity/tokens.ts';
import type { Endpoint } from '../../functions/shared/pipeline/endpoint.ts';
import { give, type Ports } from '../../functions/shared/port.ts';
import { type Answer, invoke } from './invoke.ts';
import { testConfig, testPorts } from './world.ts';

/** Tokens that are nothing but an access level. */
const levelTokens: Tokens = {
  mint: () => Promise.reject(new Error('no token is minted here')),
  verify: (token) => ({
    clientId: token,
    accessLevel: token as AccessLevel, // as: the tests send levels only
    keyId: 'key-1',
    mayPublish: false,
  }),
};

export interface DatabaseWorld {
  readonly ports: Ports;
  readonly config: Config;
  readonly file: string;
  readonly backupDir: string;
  readonly exportDir: string;
  /** Calls a handler as a USER, or as another level. */
  call(
    handler: Endpoint,
    request?: { query?: Record<string, string>; body?: unknown; as?: AccessLevel },
  ): Promise<Answer>;
  /** As `call`; the body of a 200, and a failed test otherwise. */
  ok(
    handler: Endpoint,
    request?: { query?: Record<string, string>; body?: unknown; as?: AccessLevel },
  ): Promise<Answer['body']>;
  close(): Promise<void>;
}

/** A database of its own in a temporary folder, reached through the handlers. */
export function databaseWorld(settings: Record<string, string> = {}, clock?: () => number): DatabaseWorld {
  const config = testConfig(settings);
  const ports = testPorts({ config, given: [give(tokens, levelTokens)], ...(clock ? { clock } : {}) });
  const call: DatabaseWorld['call'] = (handler, { as = 'USER', ...request } = {}) =>
    invoke(handler, { ports, headers: { authorization: `Bearer ${as}` }, ...request });
  return {
    ports,
    config,
    file: config.SERVICE_DATABASE_URL.replace('sqlite:///', ''),
    backupDir: join(config.SERVICE_DATA_DIR, 'backups'),
    exportDir: config.SERVICE_EXPORT_DIR,
    call,
    async ok(handler, request) {
      const answer = await call(handler, request);
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    close: () => ports.close(),
  };
}

const opened: DatabaseWorld[] = [];

/** A start of the service on the data of a home; {@link closeDatabases} closes it. */
export function startDatabase(home: string, clock?: () => number): DatabaseWorld {
  const world = databaseWorld({ HOME: home }, clock);
  opened.push(world);
  return world;
}

export async function closeDatabases(): Promise<void> {
  await Promise.all(opened.splice(0).map((world) => world.close()));
}
