import { errorFromProblem } from '../../../clients/typescript/src/errors.ts';
import { base } from './base.ts';
import { authorization } from './session.ts';

export interface Question {
  readonly json?: unknown;
  /** Sent as it is; `type` says what it is. */
  readonly body?: BodyInit;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * One request to the service as whoever is signed in, for answers that are no JSON or whose headers matter; it is never sent
 * twice. @param path relative, `api/v2/…`. @throws RobotRestError with the problem's sentence; TypeError without an answer.
 */
export async function ask(method: string, path: string, question: Question = {}): Promise<Response> {
  const { json, body, type, headers, signal } = question;
  const sentType = json === undefined ? type : 'application/json';
  const response = await fetch(new URL(path, base), {
    method,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    headers: { ...(sentType === undefined ? {} : { 'Content-Type': sentType }), ...headers, ...authorization() },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  throw errorFromProblem(response.status, await response.json().catch(() => undefined));
}

/** Saves what the service answers as a file of the person's own. */
export async function download(path: string, name: string, method = 'GET'): Promise<void> {
  const response = await ask(method, path);
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
