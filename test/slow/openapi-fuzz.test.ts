import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyStore } from '../../functions/shared/identity/ports.ts';
import { give } from '../../functions/shared/port.ts';
import { Answers } from '../support/api-fuzz/answers.ts';
import { ExistingThings } from '../support/api-fuzz/existing-things.ts';
import { finder, type Operation, operationsOf, requestsOf, type Sent, wireOf } from '../support/api-fuzz/operations.ts';
import type { Find } from '../support/api-fuzz/schema-arbitrary.ts';
import { FakeKeyStore } from '../support/auth.ts';
import type { HttpAnswer } from '../support/http.ts';
import { startTestService, type TestService } from '../support/service.ts';

const SEED = 20_261_121;
const VALID = 12;
const MUTATED = 18;
/** Requests that name existing things; the first ones of those that remove them find them. */
const NAMING = 6;
/** For operations that may wait, and for all the others, which never should. */
const PATIENCE_MS = { waiting: 300, other: 60_000 };
/** An operation that has shown what it has to is asked no more after so long: the whole stays bounded. */
const SHARE_MS = 60;

/** Machines are noisy: it only ends what hangs. */
const LIMIT_MS = 180_000;

/** They wait for a mission, or follow a log or events by design; a request may then end by the client's patience instead. */
const MAY_WAIT = /\/(str|commands\/\{command\}|service\/[^/]+\/[^/]+)\/$|\/service\/|\/events$/;

const SIGNED = 'a signature is known to whoever asked for the URDF, and ends';

/** Successes that no request to a simulated robot brings about, each with its reason. */
const NEVER_HERE: Readonly<Record<string, string>> = {
  'PUT /api/v2/lease/{lease_id}: 200': 'an id is known to its holder only, and lapses in seconds',
  'DELETE /api/v2/lease/{lease_id}: 200': 'an id is known to its holder only',
  'POST /api/v2/jog/: 200': 'it needs the id of a lease that is kept',
  'GET /api/v1/meshes/~{signature}/{filepath}: 200': SIGNED,
  'GET /api/v1/meshes/~{signature}/{filepath}: 206': SIGNED,
  'GET /api/v2/meshes/~{signature}/{filepath}: 200': SIGNED,
  'GET /api/v2/meshes/~{signature}/{filepath}: 206': SIGNED,
  'PUT /api/v2/database/backups/{name}: 201': 'no text is a database',
  'POST /api/v2/backup/restore: 200': 'no text is an archive',
  'GET /: 200': 'only for an Accept that names text/html',
  'GET /console/{file}: 200': 'its name has the hash of its content',
};
/** A success is a stream without an end, which tests of their own read. */
const ENDLESS = /\/events$/;

let service: TestService;
let operations: Operation[];
let find: Find;
let answers: Answers;
beforeAll(async () => {
  service = await startTestService({
    settings: { SERVICE_COMMAND_TIMEOUT_MS: '1000', SERVICE_ALLOWED_UNITS: 'head=robot-*.service' },
    given: [give(keyStore, new FakeKeyStore())],
  });
  const document = (await service.as(undefined, '/openapi.json')).json;
  operations = operationsOf(document);
  find = finder(document);
  answers = new Answers(document);
});
afterAll(() => service.stop());

async function send(operation: Operation, sent: Sent, mayWait: boolean): Promise<HttpAnswer | undefined> {
  const waits = mayWait && MAY_WAIT.test(operation.path);
  const { target, call } = wireOf(operation, sent);
  const signal = AbortSignal.timeout(waits ? PATIENCE_MS.waiting : PATIENCE_MS.other);
  try {
    return await service.as('ENCHANTER', target, { ...call, signal });
  } catch (error) {
    if (waits) return undefined;
    throw new Error(`${operation.method} ${operation.path} did not answer`, { cause: error });
  }
}

interface Asking {
  readonly count: number;
  /** Whether what the answers were needed for is there: from then on only as many are asked for as there is time for. */
  readonly enough: () => boolean;
  /** Whether one of the requests may be to wait, or to follow; the client then leaves. */
  readonly mayWait: boolean;
}

/** The answers to requests of an operation. */
async function* ask(
  operation: Operation,
  requests: fc.Arbitrary<Sent>,
  { count, enough, mayWait }: Asking,
): AsyncGenerator<HttpAnswer> {
  const samples = fc.sample(requests, { seed: SEED, numRuns: count });
  const end = performance.now() + SHARE_MS;
  for (const sent of samples) {
    if (enough() && performance.now() > end) return;
    const answer = await send(operation, sent, mayWait);
    if (answer) yield answer;
  }
}

const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const successesOf = (operation: Operation) =>
  Object.keys(operation.responses)
    .filter((status) => status.startsWith('2'))
    .map((status) => `${nameOf(operation)}: ${status}`);

const PROBLEM = { type: 'urn:x', title: 'x', status: 401, detail: 'x', code: 'token_expired', request_id: 'x' };
const READY = { status: 'ready', parts: { robot: { ok: true } } };

/** Documented answers, and changes that the document leaves to later versions. */
const CHANGES = [
  ['a new member', 'POST /api/v2/stop', 200, { stopped: true }, { slowly: true }],
  ['a new nested member', 'GET /health/ready', 200, READY, { parts: { robot: { ok: true, slowly: true } } }],
  ['another value than the only one', 'POST /api/v2/stop', 200, { stopped: true }, { stopped: false }],
  ['an unknown code', 'POST /api/v2/stop', 401, PROBLEM, { code: 'no_such_code' }],
  ['a new member of a fault', 'POST /api/v2/stop', 401, PROBLEM, { errors: [{ pointer: '/', message: 'x', line: 1 }] }],
] as const;

describe('A response', () => {
  it.each(CHANGES)('fails validation with %s', (_what, name, status, documented, change) => {
    const operation = operations.find((one) => nameOf(one) === name);
    if (!operation) throw new Error(`${name} is not in the document`);
    const faultIn = (json: object) => {
      const headers = { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' };
      const text = JSON.stringify(json);
      return answers.faultIn(operation, { status, headers, text, bytes: Buffer.from(text), json });
    };
    expect(faultIn(documented)).toBeUndefined();
    expect(faultIn({ ...documented, ...change })).toMatch(/does not fit its schema/);
  });
});

describe('Every operation of /openapi.json, asked with requests made from its own schemas', () => {
  it.each([
    ['that fit', false, VALID],
    ['that stray', true, MUTATED],
  ] as const)(
    '%s, answers as it is documented',
    async (_name, stray, count) => {
      const faults = new Set<string>();
      const answered = new Set<Operation>();
      for (const operation of operations) {
        const asking = { count, enough: () => answered.has(operation), mayWait: true };
        for await (const answer of ask(operation, requestsOf(operation, find, stray), asking)) {
          answered.add(operation);
          const fault = answers.faultIn(operation, answer);
          if (fault !== undefined) faults.add(`${nameOf(operation)}: ${fault}`);
        }
      }
      expect([...faults]).toEqual([]);
      expect(operations.filter((operation) => !answered.has(operation)).map(nameOf)).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'that name what exists, succeeds in each of the ways that are documented',
    async () => {
      const things = new ExistingThings((path, call) => service.as('ENCHANTER', path, call));
      const faults = new Set<string>();
      const ending = operations.filter(({ path }) => !ENDLESS.test(path));
      const missing = new Set(ending.flatMap(successesOf));
      for (const operation of ending) {
        const requests = (await things.requestsOf(operation)) ?? requestsOf(operation, find, false);
        const enough = () => !successesOf(operation).some((success) => missing.has(success));
        for await (const answer of ask(operation, requests, { count: NAMING, enough, mayWait: false })) {
          missing.delete(`${nameOf(operation)}: ${answer.status}`);
          const fault = answers.faultIn(operation, answer);
          if (fault !== undefined) faults.add(`${nameOf(operation)}: ${fault}`);
        }
      }
      expect([...faults]).toEqual([]);
      expect([...missing]).toEqual(Object.keys(NEVER_HERE));
    },
    LIMIT_MS,
  );
});
