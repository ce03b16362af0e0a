import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../shared/errors.ts';
import type { DescriptionFiles } from './port.ts';
import { candidates } from './reference.ts';
import { urdfReferences } from './urdf-references.ts';

/** 8 MiB. */
const MAX_URDF_BYTES = 8 * 1024 * 1024;

interface RewrittenUrdf {
  readonly urdf: string;
  /** Every mesh and texture URL, once each, in the order of first use. */
  readonly meshes: readonly string[];
}

/**
 * Reads a URDF and replaces every mesh and texture reference by a URL below `meshesUrl`; the rest of the text stays as
 * it is (specification, section 4.3).
 * @throws ServiceError `not_found`, `config_unreadable`.
 */
export async function rewriteUrdf(
  files: DescriptionFiles,
  filename: string,
  meshesUrl: string,
): Promise<RewrittenUrdf> {
  const xml = await readUrdf(files, filename);
  const known = new Map<string, string | undefined>();
  const parts: string[] = [];
  let cursor = 0;
  for (const { value, start, end } of urdfReferences(xml)) {
    if (!known.has(value)) known.set(value, await urlOf(files, value, meshesUrl));
    const url = known.get(value);
    if (url === undefined) continue;
    parts.push(xml.slice(cursor, start), escapeAttribute(url));
    cursor = end;
  }
  const meshes = [...known.values()].filter((url) => url !== undefined);
  return { urdf: parts.join('') + xml.slice(cursor), meshes: [...new Set(meshes)] };
}

async function readUrdf(files: DescriptionFiles, filename: string): Promise<string> {
  const isName = /\.(urdf|xml)$/i.test(filename) && !filename.includes('/');
  const file = isName ? await files.open(filename) : undefined;
  if (!file)
    throw new ServiceError('not_found', {
      detail: 'The description folder (SERVICE_DESCRIPTION_DIR) has no URDF with this name.',
    });
  if (file.size > MAX_URDF_BYTES) {
    await file.close();
    throw unreadable(`it is larger than ${MAX_URDF_BYTES} bytes`);
  }
  const bytes = await file.read();
  if (!isUtf8(bytes)) throw unreadable('it is not UTF-8');
  return bytes.toString('utf8');
}

async function urlOf(files: DescriptionFiles, reference: string, meshesUrl: string): Promise<string | undefined> {
  const paths = candidates(reference);
  if (!paths) return undefined;
  const path = (await firstExisting(files, paths)) ?? fallback(reference, paths);
  return `${meshesUrl}${path.split('/').map(encodeSegment).join('/')}`;
}

async function firstExisting(files: DescriptionFiles, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await files.has(path)) return path;
  return undefined;
}

/** For a mesh that does not exist yet: the path within its package, where it will be found once it is added. */
function fallback(reference: string, paths: readonly string[]): string {
  return (/^\s*(package|model):/i.test(reference) ? paths[1] : undefined) ?? paths[0] ?? '';
}

/** Encodes per RFC 3986, plus the characters that have a meaning in XML attributes. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The prefix comes from the request path and may contain any URL character. */
function escapeAttribute(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&apos;');
}

function unreadable(why: string): ServiceError {
  return new ServiceError('config_unreadable', { detail: `The URDF is invalid: ${why}.` });
}
