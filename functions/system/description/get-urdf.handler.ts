import { createHash } from 'node:crypto';
import { endpoint } from '../../shared/pipeline/endpoint.ts';
import { namesTag } from '../../shared/pipeline/entity-tag.ts';
import { Reply } from '../../shared/pipeline/reply.ts';
import { config } from '../../shared/ports.ts';
import { ofHost } from '../../shared/remote-robot.ts';
import { Urdf, UrdfHeaders, UrdfPath, UrdfQuery } from './description.schema.ts';
import { encodedPath, meshesUrl } from './meshes-url.ts';
import { descriptionFiles, meshSignatures } from './ports.ts';
import { rewriteUrdf } from './urdf.ts';

/**
 * GET /api/{version}/urdf/{filename}: the robot's URDF and the meshes it names (specification, section 4.3). Any valid
 * token.
 */
export const handler = endpoint({
  access: 'any-token',
  summary: 'URDF of the robot, with URLs for its meshes',
  description:
    'Every mesh and texture file name becomes a path-absolute URL of this service; nothing else in the XML changes. With `signed=true` the URLs need no token for 10 minutes, for loaders that send none.',
  input: { path: UrdfPath, query: UrdfQuery, headers: UrdfHeaders },
  output: Urdf,
  uses: { descriptionFiles, meshSignatures, config },
  errors: ['not_found', 'config_unreadable'],
}).handler(
  async (
    { valid: { path, query, headers }, rawPath, forwardedPrefix, caller },
    { descriptionFiles, meshSignatures, config },
  ) => {
    const base = meshesUrl(rawPath, forwardedPrefix);
    const sign = meshSignatures.signer(caller.keyId);
    const signed = (mesh: string) => (query.signed ? `~${sign(mesh)}/` : '');
    const urlOf = (mesh: string) => `${base}${signed(mesh)}${encodedPath(mesh)}`;
    const body = JSON.stringify({ ...(await rewriteUrdf(descriptionFiles, path.filename, urlOf)), ...ofHost(config) });
    const type = { 'content-type': 'application/json' };
    if (query.signed) return new Reply(body, type);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 32)}"`;
    const validators = { etag, 'cache-control': 'private, no-cache' };
    if (namesTag(headers['if-none-match'], etag)) return new Reply('', validators, 304);
    return new Reply(body, { ...validators, ...type });
  },
);
