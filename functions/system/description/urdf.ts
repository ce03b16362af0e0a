import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import { ServiceError } from '../../shared/errors.ts';
import type { DescriptionFiles } from './port.ts';
import { candidates, likeliest } from './reference.ts';
import { urdfReferences } from './urdf-references.ts';

/** 8 MiB. */
export const MAX_URDF_BYTES = 8 * 1024 * 1024;

/** Names of files that may be URDFs. */
export const URDF_NAME = /\.(urdf|xml)$/i;
export const XACRO_NAME = /\.xacro$/i;

interface RewrittenUrdf {
  readonly urdf: string;
  /** Every mesh and texture URL, once each, in the order of first use. */
  readonly meshes: readonly string[];
}

/** Gives the URL of a path in the description folder. */
export type UrlOf = (path: string) => string;

/**
 * Reads a URDF and replaces every mesh and texture reference by a URL; the rest of the text stays as it is
 * (specification, section 4.3).
 * @throws ServiceError `not_found`, `config_unreadable`.
 */
export async function rewriteUrdf(files: DescriptionFiles, filename: string, urlOf: UrlOf): Promise<RewrittenUrdf> {
  const xml = await readUrdf(files, filename);
  const known = new Map<string, string | undefined>();
  const parts: string[] = [];
  let cursor = 0;
  for (const { value, start, end } of urdfReferences(xml)) {
    if (!known.has(value)) {
      const path = await pathOf(files, value, filename);
      known.set(value, path === undefined ? undefined : urlOf(path));
    }
    const url = known.get(value);
    if (url === undefined) continue;
    parts.push(xml.slice(cursor, start), escapeAttribute(url));
    cursor = end;
  }
  const meshes = [...known.values()].filter((url) => url !== undefined);
  return { urdf: parts.join('') + xml.slice(cursor), meshes: [...new Set(meshes)] };
}

async function readUrdf(files: DescriptionFiles, filename: string): Promise<string> {
  const file = URDF_NAME.test(filename) ? await files.open(filename) : undefined;
  if (!file) throw new ServiceError('not_found', { detail: await absence(files, filename) });
  if (file.size > MAX_URDF_BYTES) {
    await file.close();
    throw unreadable(`it is larger than ${MAX_URDF_BYTES} bytes`);
  }
  const bytes = await file.read();
  if (!isUtf8(bytes)) throw unreadable('it is not UTF-8');
  return bytes.toString('utf8');
}

/** Why there is no such URDF. A xacro file needs ROS, and the packages it includes, to become one. */
async function absence(files: DescriptionFiles, filename: string): Promise<string> {
  const stem = filename.replace(/\.(xacro|urdf|xml)$/i, '').replace(/\.urdf$/i, '');
  for (const name of new Set([filename, `${filename}.xacro`, `${stem}.urdf.xacro`, `${stem}.xacro`])) {
    if (!XACRO_NAME.test(name) || !(await files.has(name))) continue;
    const urdf = `${posix.basename(stem)}.urdf`;
    return `"${name}" is a xacro file, a template from which ROS makes a URDF; this service does not run it. Run "xacro ${posix.basename(name)} -o ${urdf}" where ROS is installed, and put ${urdf} in the same folder.`;
  }
  return 'The description folder (SERVICE_DESCRIPTION_DIR) has no URDF with this name. GET /api/v2/urdf/ lists all URDFs.';
}

async function pathOf(files: DescriptionFiles, reference: string, urdf: string): Promise<string | undefined> {
  const paths = candidates(reference, urdf);
  if (!paths) return undefined;
  for (const path of paths) if (await files.has(path)) return path;
  return likeliest(reference, urdf, paths);
}

/** The prefix comes from the request path and may contain any URL character. */
function escapeAttribute(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll("'", '&apos;');
}

function unreadable(why: string): ServiceError {
  return new ServiceError('config_unreadable', { detail: `The URDF is invalid: ${why}.` });
}
