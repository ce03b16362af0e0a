import { ServiceError } from '../../shared/errors.ts';
import { invalidArchive, shown } from './archive-errors.ts';
import { FORMAT, Manifest } from './manifest.schema.ts';
import { memberOf } from './member-path.ts';

/** What was found of a member: bytes, and SHA-256 in hex. */
export interface Digest {
  readonly size: number;
  readonly sha256: string;
}

/** Where an archive may be restored. */
export interface Here {
  readonly robotId: string;
  readonly schemaVersion: number;
  /** The archive of another robot is welcome. */
  readonly adopt: boolean;
}

/** How many files are compared before others have their turn. */
const SLICE = 5_000;

/**
 * Reads a manifest and compares it with the members that came, and with where they are to go.
 * Errors: archive_invalid; conflict for an archive with a newer schema or format, or of another robot.
 */
export async function checkManifest(
  text: Buffer | undefined,
  found: ReadonlyMap<string, Digest>,
  { robotId, schemaVersion, adopt }: Here,
): Promise<Manifest> {
  if (text === undefined)
    throw invalidArchive('has no manifest.json as its last member: it was cut off, or is none of a robot');
  const manifest = parse(text);
  await compareFiles(manifest, found);
  if (manifest.schema > schemaVersion)
    throw newer(`its database has schema version ${manifest.schema}, and this release knows up to ${schemaVersion}`);
  if (!adopt && manifest.robot_id !== robotId) throw ofAnotherRobot(manifest.robot_id, robotId);
  return manifest;
}

function parse(text: Buffer): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(text.toString('utf8'));
  } catch (error) {
    throw invalidArchive('has a manifest.json that is not JSON', error);
  }
  const format = typeof json === 'object' && json !== null && 'format' in json ? json.format : undefined;
  if (Number.isInteger(format) && Number(format) > FORMAT)
    throw newer(`its format is ${format}, and this release knows up to ${FORMAT}`);
  const parsed = Manifest.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidArchive(
    `has a manifest.json that does not fit: ${issue?.path.join('.').slice(0, 100)}: ${issue?.message}`,
  );
}

async function compareFiles({ files, parts }: Manifest, found: ReadonlyMap<string, Digest>): Promise<void> {
  const listed = new Set<string>();
  for (const [index, { path, size, sha256 }] of files.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve));
    const digest = found.get(path);
    if (listed.has(path)) throw invalidArchive(`lists ${shown(path)} twice`);
    listed.add(path);
    if (!digest) throw invalidArchive(`lacks ${shown(path)}, which its manifest lists`);
    if (digest.size !== size || digest.sha256 !== sha256)
      throw invalidArchive(`has a ${shown(path)} that differs from its manifest`);
    const part = memberOf(path)?.part;
    if (part !== undefined && !parts.includes(part))
      throw invalidArchive(`has files of ${part}, which its manifest does not name among its parts`);
  }
  for (const path of found.keys()) {
    if (!listed.has(path)) throw invalidArchive(`has ${shown(path)}, which its manifest does not list`);
  }
  if (!parts.includes('database') || !listed.has('database.sqlite')) throw invalidArchive('has no database');
}

function newer(why: string): ServiceError {
  return new ServiceError('conflict', {
    detail: `The archive was made by a newer release: ${why}. Nothing was changed. Update this robot first.`,
  });
}

function ofAnotherRobot(theirs: string, ours: string): ServiceError {
  return new ServiceError('conflict', {
    detail: `The archive is of the robot ${shown(theirs)}, and this is ${shown(ours)}. Nothing was changed. With ?adopt=true its data come here, and this robot keeps its id.`,
  });
}
