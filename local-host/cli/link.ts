import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type BrokerAddress, brokerAddress } from '../../functions/shared/robot-link/adapters/broker/broker-address.ts';
import { CommandError, exitCodeOf, runIfMain, UsageError, withFileErrors } from './entry.ts';
import { Bench } from './link-check/bench.ts';
import type { Check } from './link-check/check.ts';
import { checkMapping } from './link-check/check-mapping.ts';
import { CutProxy } from './link-check/cut-proxy.ts';
import { introduction } from './link-check/introduction.ts';
import { MAPPED_CHECKS } from './link-check/mapped-checks.ts';
import { chooseMotion } from './link-check/motion.ts';
import { outcomeLines, summaryOf } from './link-check/report.ts';
import { RobotCaller } from './link-check/robot-caller.ts';
import { CHECKS, runChecks } from './link-check/run-checks.ts';
import { SecondProgram } from './link-check/second-program.ts';

const USAGE = `Usage:
  npm run --silent link -- check MAPPING.yaml [--yes] [--move NAME[=JSON]] [--only CHECK,…]
  npm run --silent link -- check [URL] [--yes] [--move NAME[=JSON]] [--only CHECK,…] [--listen [HOST:]PORT] [--driven]
                                 [--robot-password-file FILE]

Checks a robot behind an MQTT broker against docs/mqtt.md. URL: mqtt[s]://service:PASSWORD@broker/robot-id, default
SERVICE_ROBOT_URL (arguments are visible to every user of the machine). Stop its service first, or leave the robot alone.
With a mapping: a robot behind the rosbridge server at SERVICE_ROBOT_URL.
  --yes                       also run the checks that move the robot; keep clear of it
  --move                      the motion to use, for instance 'go_to_relative={"x":0.5}': at least 3 s long
  --only                      some checks only: ${CHECKS.map(({ name }) => name).join(', ')};
                              with a mapping: ${MAPPED_CHECKS.map(({ name }) => name).join(', ')}
  --listen                    a port to which the robot connects in place of its broker, so that its link can be cut
  --driven                    another program, or a hand, moves the robot all the time
  --robot-password-file       lets a second program sign in as the robot, which ends the robot's program
Exit status: 0 no faults, 1 faults, 2 the robot cannot be reached or the arguments are wrong.`;

const UNREACHABLE = 2;
const PRESENCE_MS = 5_000;
const CONNECT_THROUGH_MS = 120_000;

/** Checks the program of a maker over its link, and says what to mend. */
export async function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  let status = 0;
  const usage = await exitCodeOf(USAGE, argv, async () => {
    const options = read(argv, environment);
    if (options.mapping === undefined) status = await check(options);
    else
      status = await checkMapping(options.mapping, environment, {
        ...options,
        say,
        unreachable,
        signal: unread.signal,
      });
  });
  if (unread.signal.aborted) return unreachable('Nobody reads the report any more; the check has ended early.');
  return usage === 0 ? status : UNREACHABLE;
}

function read(argv: readonly string[], environment: NodeJS.ProcessEnv) {
  const [action, ...args] = argv;
  if (action !== 'check')
    throw new UsageError(action === undefined ? 'Missing command.' : `Unknown command "${action}".`);
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      yes: { type: 'boolean', default: false },
      driven: { type: 'boolean', default: false },
      move: { type: 'string' },
      only: { type: 'string' },
      listen: { type: 'string' },
      'robot-password-file': { type: 'string' },
    },
  });
  const [url = environment.SERVICE_ROBOT_URL ?? '', ...rest] = positionals;
  if (rest.length > 0) throw new UsageError('There is one URL at most.');
  if (/\.ya?ml$/.test(url)) {
    for (const option of ['listen', 'driven', 'robot-password-file'] as const)
      if (values[option]) throw new UsageError(`With a mapping there is no --${option}.`);
    const { yes, move, only } = values;
    return { mapping: url, yes, move, checks: chosen(MAPPED_CHECKS, only) };
  }
  if (/^wss?:/i.test(url))
    throw new UsageError('For ws:// name the mapping: check rosbridge.yaml, with the address in SERVICE_ROBOT_URL.');
  const { robotId = environment.SERVICE_ROBOT_ID, ...address } = brokerAddress(url, 'URL');
  if (robotId === undefined) throw new UsageError('The URL must end in the id of the robot.');
  const setting = positionals.length > 0 ? 'the URL' : 'SERVICE_ROBOT_URL';
  return { ...values, mapping: undefined, setting, address, robotId, checks: chosen(CHECKS, values.only) };
}

function chosen<On>(checks: ReadonlyArray<Check<On>>, only: string | undefined) {
  if (only === undefined) return checks;
  return only.split(',').map((name) => {
    const found = checks.find((check) => check.name === name);
    if (!found)
      throw new UsageError(`There is no check "${name}" here, only ${checks.map((check) => check.name).join(', ')}.`);
    return found;
  });
}

type BrokerOptions = Extract<ReturnType<typeof read>, { readonly mapping: undefined }>;

async function check(options: BrokerOptions): Promise<number> {
  const { address, robotId, checks, yes } = options;
  const proxy = options.listen === undefined ? undefined : await listen(options.listen, address);
  const caller = new RobotCaller(address, robotId, options.setting);
  try {
    const problem = await caller.connected();
    if (problem !== undefined) return unreachable(problem);
    if (proxy) await passThrough(proxy, options.listen ?? '');
    const isOnline = await seen(caller, proxy ? CONNECT_THROUGH_MS : PRESENCE_MS);
    if (!isOnline)
      return unreachable(
        `The robot ${robotId} is not online. If its program says that it is connected, look at its MQTT user name: the broker drops what any other user than ${robotId} publishes below robots/${robotId}.`,
      );
    const catalogue = caller.presence?.catalogue ?? new Map();
    const motion = yes ? chooseMotion(catalogue, options.move) : undefined;
    const byHand = caller.presence?.message.online === true && caller.presence.message.jog !== undefined;
    const movements = { yes, motion, byHand: byHand && checks.some(({ name }) => name === 'jog') };
    say(introduction(`Robot ${robotId}`, movements));
    const password = options['robot-password-file'];
    const bench = new Bench({
      caller,
      motion,
      isDriven: options.driven,
      proxy,
      secondProgram: password === undefined ? undefined : await second(password, address, robotId),
    });
    const outcomes = await runChecks(checks, bench, {
      mayMove: yes,
      tell: (outcome) => say(outcomeLines(outcome)),
      signal: unread.signal,
    });
    say(summaryOf(outcomes, 'docs/mqtt.md'));
    return outcomes.some(({ faults }) => faults.length > 0) ? 1 : 0;
  } finally {
    await caller.close();
    proxy?.close();
  }
}

async function listen(where: string, address: BrokerAddress): Promise<CutProxy> {
  const [, host = '127.0.0.1', port] = /^(?:(.+):)?(\d{1,5})$/.exec(where) ?? [];
  if (port === undefined) throw new UsageError('--listen takes a port, or HOST:PORT.');
  return withFileErrors('--listen', () => CutProxy.listen(Number(port), host, address));
}

/** Waits until the robot comes through the proxy. */
async function passThrough(proxy: CutProxy, where: string): Promise<void> {
  if (proxy.connections === 0) say(`Waiting until the robot connects to port ${where} in place of its broker …`);
  const end = Date.now() + CONNECT_THROUGH_MS;
  while (proxy.connections === 0 && Date.now() < end) await sleep(100);
}

async function seen(caller: RobotCaller, withinMs: number): Promise<boolean> {
  const end = Date.now() + withinMs;
  while (Date.now() < end && caller.session === undefined) await sleep(50);
  return caller.session !== undefined;
}

async function second(file: string, address: BrokerAddress, robotId: string): Promise<() => SecondProgram> {
  const password = await withFileErrors(file, async () => readFileSync(file, 'utf8').trim());
  if (password === '') throw new CommandError(`${file} is empty.`);
  return () => new SecondProgram({ ...address, username: robotId, password }, robotId);
}

function unreachable(why: string): number {
  process.stderr.write(`${why}\n`);
  return UNREACHABLE;
}

const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Aborts when nobody reads the report any more: the check under way ends in order, and no other begins. */
const unread = new AbortController();
process.stdout.on('error', () => unread.abort());

await runIfMain(import.meta.url, main);
