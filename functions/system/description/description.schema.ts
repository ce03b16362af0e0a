import * as z from 'zod';
import { queryFlag } from '../../shared/query-types.ts';
import { OfHost } from '../../shared/remote-robot.ts';
import { meshPathProblem, urdfPathProblem } from './file-path.ts';

export const UrdfPath = z.object({
  filename: z
    .string()
    .max(1024)
    .describe('path of a file in the description folder that ends in `.urdf` or `.xml`; may contain slashes')
    .meta({ example: 'pip.urdf' }),
});

export const UrdfHeaders = z.object({
  'if-none-match': z.string().max(1000).optional().describe("entity tags of the client's copies"),
});

export const UrdfQuery = z.object({
  signed: queryFlag({ description: 'the URLs of meshes and textures need no token, for 10 minutes' }),
});

export const UrdfList = z
  .object({
    urdf: z
      .array(z.string())
      .describe('paths in the description folder, sorted')
      .meta({ example: ['pip.urdf'] }),
    of: OfHost,
  })
  .meta({ id: 'UrdfList' });

export const Urdf = z
  .object({
    urdf: z.string().describe('the URDF; each mesh and texture in it is a URL of this service'),
    meshes: z
      .array(z.string())
      .describe('these URLs, path-absolute, each once, in the order of first use')
      .meta({ example: ['/api/v2/meshes/meshes/base.stl'] }),
    of: OfHost,
  })
  .meta({ id: 'RobotDescription' });

export const MeshPath = z.object({
  filepath: z
    .string()
    .max(4096)
    .describe('path inside the description folder; may contain slashes')
    .meta({ example: 'meshes/base.stl' }),
});

/** A path that a file can be stored at; `problem` says why not. */
const storablePath = (problem: (path: string) => string | undefined, example: string, description: string) =>
  z
    .string()
    .refine((path) => problem(path) === undefined, { error: ({ input }) => problem(String(input)) ?? '' })
    .meta({ description, example });

export const StorableUrdf = z.object({
  filename: storablePath(
    urdfPathProblem,
    'arm.urdf',
    'where it is kept in the description folder, ending in `.urdf` or `.xml`; may contain slashes',
  ),
});

export const StorableMesh = z.object({
  filepath: storablePath(
    meshPathProblem,
    'arm/meshes/base.stl',
    'where it is kept in the description folder, ending in stl, dae, obj, mtl, glb, png, jpg or jpeg; may contain slashes',
  ),
});

export const StoredFile = z
  .object({
    path: z.string().meta({ example: 'arm/meshes/base.stl' }),
    size: z.int().min(0).describe('bytes'),
    replaced: z.boolean().describe('whether there was a file at this path'),
  })
  .meta({ id: 'StoredDescriptionFile' });

export type StoredFile = z.infer<typeof StoredFile>;

export const RemovedFile = StoredFile.omit({ replaced: true }).meta({ id: 'RemovedDescriptionFile' });

export type RemovedFile = z.infer<typeof RemovedFile>;

export const SignedMeshPath = MeshPath.extend({
  signature: z.string().max(1000).describe('from a URDF that was asked for with `signed=true`'),
});

const header = (description: string) => z.string().max(1000).optional().describe(description);

export const MeshHeaders = z.object({
  range: header('one range of bytes, `bytes=0-1023`; several are answered with the whole file'),
  'if-range': header('entity tag or date: the range is meant only for this state of the file'),
  'if-match': header('entity tags'),
  'if-none-match': header("entity tags of the client's copies"),
  'if-modified-since': header('HTTP date'),
  'if-unmodified-since': header('HTTP date'),
});

export type MeshHeaders = z.infer<typeof MeshHeaders>;
