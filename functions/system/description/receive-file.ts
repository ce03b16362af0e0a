import type { Readable } from 'node:stream';
import { contentCheck } from './content-checks.ts';
import type { StoredFile } from './description.schema.ts';
import type { DescriptionFiles } from './port.ts';

/** Largest file that is taken in: 256 MiB. */
export const MAX_FILE_BYTES = 256 * 1024 * 1024;

interface Arrival {
  /** Of a name that has a content check. */
  readonly path: string;
  readonly body: Readable;
  /** Whose share of the transfers it takes. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

/**
 * Stores a file of the robot description once all of it has arrived and its content is what its name says; until then
 * the one before is served.
 * @throws ServiceError `validation_failed`, `conflict`, `busy`, `storage_full`, `component_unavailable`, and the
 * faults of the body.
 */
export async function receiveFile(
  files: DescriptionFiles,
  { path, body, owner, signal }: Arrival,
): Promise<StoredFile> {
  const check = contentCheck(path);
  if (!check) throw new Error(`no check for ${path}`);
  const incoming = await files.receive(path, owner);
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      // as: a body has no encoding
      signal.throwIfAborted();
      size += chunk.length;
      check.write(chunk);
      await incoming.write(chunk);
    }
    check.end();
    return { path, size, replaced: await incoming.place() };
  } finally {
    await incoming.discard();
  }
}
