import { loadConfig } from '../../functions/shared/config.ts';
import { certificate, pair } from './admin/access.ts';
import type { Action, Actions } from './admin/actions.ts';
import { BACKUPS } from './admin/backups.ts';
import { incident, ROBOT } from './admin/robot.ts';
import { SERVICES } from './admin/services.ts';
import { SocketClient } from './admin/socket-client.ts';
import { TABLES } from './admin/tables.ts';
import { exitCodeOf, runIfMain, UsageError } from './entry.ts';

const USAGE = `Usage: robot-rest-admin COMMAND

Through the running service, over its Unix socket, with the access level that SERVICE_SOCKET_ACCESS_LEVEL gives there:
  pair [--level USER|ADMIN|ENCHANTER] [--key ID]   a code, good once within a minute, that signs another device in;
                                                   with --key for as long as that API key is valid
  certificate [--pem]                              fingerprint of the TLS certificate, or the certificate itself
  tables list                                      tables, their columns and how many rows they have
  tables download TABLE [--output FILE]            a table as CSV
  tables upload TABLE FILE [--dry-run]             adds and replaces rows by id, after a snapshot
  backups list | create                            snapshots of the database
  backups download NAME [--output FILE]
  backups upload FILE [--name snapshot-….sqlite]
  backups restore NAME                             the present content becomes a snapshot first
  robot backup [--output FILE]                     the whole robot in one file; needs the level ENCHANTER there, as do:
  robot restore FILE|NAME [--dry-run] [--adopt]    all of it or nothing; --adopt: the file is of another robot
  robot archives                                   what restores have kept, for NAME
  incident [--since TIME] [--until TIME] [--unit head/UNIT …] [--output FILE]
                                                   logs and state in one file for support, secrets masked
  services list                                    units of head and base, as far as SERVICE_ALLOWED_UNITS lets them be seen
  services restart head|base UNIT                  of SERVICE_RESTARTABLE_UNITS
  services logs head|base UNIT [--since TIME] [--until TIME] [--priority 0-7] [--grep TEXT] [--lines N]
                               [--cursor CURSOR] [--json] [--follow]
                                                   the last hour, or a window (RFC 3339: 2027-03-01T12:00:00Z)

As root, without the service:
  api-key create --name NAME --level USER|ADMIN|ENCHANTER [--robots ID,ID] [--expires-at TIME]
  api-key list | revoke --id ID                    ID "local": all tokens issued over the Unix socket
  jwt-key show | rotate [--now]                    the keys that sign tokens
  link check [--yes]                               checks the robot over its link
  stop                                             stops the robot: through the service and its guard at once

Results go to stdout, one JSON object a line (CSV, logs and certificates as they are); notes and errors to stderr. The exit
status is 0 on success, 1 when the service refuses or does not answer, and 2 for an invalid command line.`;

const COMMANDS: Readonly<Record<string, Action | Actions>> = {
  pair,
  certificate,
  tables: TABLES,
  backups: BACKUPS,
  services: SERVICES,
  robot: ROBOT,
  incident,
};

/** What an operator does on the robot, by asking the running service. */
export function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return exitCodeOf(USAGE, argv, async () => {
    const run = prepare(argv);
    await run(new SocketClient(loadConfig(environment).config.SERVICE_SOCKET_PATH));
  });
}

function prepare([name, ...words]: readonly string[]): ReturnType<Action> {
  const command = find(COMMANDS, name, 'command');
  if (typeof command === 'function') return command(words);
  const [verb, ...rest] = words;
  return find(command, verb, `command after ${name}`)(rest);
}

function find<T>(table: Readonly<Record<string, T>>, name: string | undefined, kind: string): T {
  if (name === undefined) throw new UsageError(`Missing ${kind}.`);
  const found = Object.hasOwn(table, name) ? table[name] : undefined;
  if (found === undefined) throw new UsageError(`Unknown ${kind} "${name}".`);
  return found;
}

await runIfMain(import.meta.url, main);
