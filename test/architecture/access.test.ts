import { describe, expect, it } from '@jest/globals';
import type { Access } from '../../functions/shared/access.ts';
import { concretePaths } from '../../local-host/http/router.ts';
import { ROUTES } from '../../local-host/routes.ts';

const ENCHANTER_OR_ADMIN = ['ENCHANTER', 'ADMIN'] as const;

/**
 * The access table of the specification (section 5.12) and of the routes beside it, as data. A new route must be entered
 * here by hand, so that nobody opens a door without a second look.
 */
const TABLE: ReadonlyArray<readonly [route: string, access: Access]> = [
  ['GET /.well-known/jwks.json', 'public'],
  ['GET /api/v1/auth/', 'api-key'],
  ['GET /api/v2/auth/', 'api-key'],
  ['GET /api/v2/auth/refresh/', 'any-token'],
  ['POST /api/v2/auth/logout', 'any-token'],
  ['POST /api/v2/auth/pairing', 'any-token'],
  ['POST /api/v2/auth/pair', 'public'],
  ['GET /api/v2/keys/', ['ENCHANTER']],
  ['POST /api/v2/keys/', ['ENCHANTER']],
  ['DELETE /api/v2/keys/{key_id}', ['ENCHANTER']],
  ['GET /api/v2/certificate/', 'any-token'],
  ...both('POST /api/{version}/coordinates/', 'any-token'),
  ...both('POST /api/{version}/str/', 'any-token'),
  ...both('POST /api/{version}/int/', 'any-token'),
  ...both('POST /api/{version}/float/', 'any-token'),
  ...both('POST /api/{version}/bool/', 'any-token'),
  ...both('POST /api/{version}/dict/', 'any-token'),
  ...both('POST /api/{version}/list/', 'any-token'),
  ...both('GET /api/{version}/get/{command}', 'any-token'),
  ...both('GET /api/{version}/commands/', 'any-token'),
  ['POST /api/v2/commands/{command}/', 'any-token'],
  ...both('POST /api/{version}/stop', 'any-recent-token'),
  ['GET /api/v2/lease/', 'any-token'],
  ['POST /api/v2/lease/', 'any-token'],
  ['POST /api/v2/lease/take', ENCHANTER_OR_ADMIN],
  ['PUT /api/v2/lease/{lease_id}', 'any-token'],
  ['DELETE /api/v2/lease/{lease_id}', 'any-token'],
  ['POST /api/v2/runs/', 'any-token'],
  ['GET /api/v2/runs/', 'any-token'],
  ['GET /api/v2/runs/{run_id}', 'any-token'],
  ['POST /api/v2/runs/{run_id}/stop', 'any-token'],
  ['GET /api/v2/runs/{run_id}/logs', 'any-token'],
  ['POST /api/v2/jog/', 'any-token'],
  ['GET /api/v2/estop', 'any-token'],
  ...both('GET /api/{version}/database/read/', 'any-token'),
  ...both('GET /api/{version}/database/read_item/', 'any-token'),
  ...both('POST /api/{version}/database/add_item/', 'any-token'),
  ...both('DELETE /api/{version}/database/delete_item/', 'any-token'),
  ...both('PUT /api/{version}/database/update_item/', 'any-token'),
  ...both('DELETE /api/{version}/database/clear_table/', 'any-token'),
  ...both('PUT /api/{version}/database/update_controller_config/', 'any-token'),
  ...both('GET /api/{version}/clear_database', 'any-token'),
  ...both('POST /api/{version}/database/export_table/', 'any-token'),
  ...both('POST /api/{version}/database/import_table/', 'any-token'),
  ...both('GET /api/{version}/database/get_path/', 'any-token'),
  ['GET /api/v2/database/tables/', 'any-token'],
  ['GET /api/v2/database/tables/{table}.csv', 'any-token'],
  ['PUT /api/v2/database/tables/{table}.csv', 'any-token'],
  ...both('GET /api/{version}/database/backups/', ENCHANTER_OR_ADMIN),
  ['POST /api/v2/database/backups/', ENCHANTER_OR_ADMIN],
  ['GET /api/v2/database/backups/{name}', ENCHANTER_OR_ADMIN],
  ['PUT /api/v2/database/backups/{name}', ENCHANTER_OR_ADMIN],
  ...both('POST /api/{version}/database/restore/', ENCHANTER_OR_ADMIN),
  ['GET /api/v2/backup/', ['ENCHANTER']],
  ['POST /api/v2/backup/', ['ENCHANTER']],
  ['POST /api/v2/backup/restore', ['ENCHANTER']],
  ['POST /api/v2/incident/', ENCHANTER_OR_ADMIN],
  ['GET /api/v2/database/exports/', ENCHANTER_OR_ADMIN],
  ['DELETE /api/v2/database/exports/{filepath+}', ENCHANTER_OR_ADMIN],
  ...both('POST /api/{version}/network/configure/', ENCHANTER_OR_ADMIN),
  ...both('GET /api/{version}/network/get_wifi_list', ENCHANTER_OR_ADMIN),
  ...both('POST /api/{version}/skill/upload/', ENCHANTER_OR_ADMIN),
  ...both('DELETE /api/{version}/skill/remove/', ENCHANTER_OR_ADMIN),
  ['POST /api/v1/skill/remove/', ENCHANTER_OR_ADMIN],
  ...both('GET /api/{version}/skill/list/', ENCHANTER_OR_ADMIN),
  ...both('PATCH /api/{version}/skill/enable/', ENCHANTER_OR_ADMIN),
  ['POST /api/v1/skill/enable/', ENCHANTER_OR_ADMIN],
  ...both('GET /api/{version}/skill/download/{skill_name}', ENCHANTER_OR_ADMIN),
  ...both('PATCH /api/{version}/skill/rename/', ENCHANTER_OR_ADMIN),
  ['GET /api/v2/urdf/', 'any-token'],
  ...both('GET /api/{version}/urdf/{filename+}', 'any-token'),
  ...both('GET /api/{version}/meshes/~{signature}/{filepath+}', 'public'),
  ...both('GET /api/{version}/meshes/{filepath+}', 'any-token'),
  ['PUT /api/v2/urdf/{filename+}', ENCHANTER_OR_ADMIN],
  ['DELETE /api/v2/urdf/{filename+}', ENCHANTER_OR_ADMIN],
  ['PUT /api/v2/meshes/{filepath+}', ENCHANTER_OR_ADMIN],
  ['DELETE /api/v2/meshes/{filepath+}', ENCHANTER_OR_ADMIN],
  ...both('GET /api/{version}/llm_config/', ['ENCHANTER']),
  ...both('PATCH /api/{version}/llm_config/', ['ENCHANTER']),
  ...both('GET /api/{version}/volume/', 'any-token'),
  ...both('POST /api/{version}/volume/', 'any-token'),
  ...both('GET /api/{version}/service/get_services_list', ENCHANTER_OR_ADMIN),
  ...both('GET /api/{version}/service/{system}/{service_name}', ENCHANTER_OR_ADMIN),
  ['POST /api/v2/service/{system}/{service_name}/restart', ENCHANTER_OR_ADMIN],
  ['GET /api/v2/events', 'any-token'],
  ...both('GET /api/{version}/audit/', ['ENCHANTER']),
  ['GET /api/v2/robots/', 'any-token'],
  ['GET /status', 'public'],
  ['GET /health/live', 'public'],
  ['GET /health/ready', 'public'],
  ['GET /metrics', 'public'],
  ['GET /openapi.json', 'public'],
  ['GET /asyncapi.json', 'public'],
  ['GET /docs', 'public'],
  ['GET /docs/{file}', 'public'],
  ['GET /', 'public'],
  ['GET /console/{file}', 'public'],
];

function both(route: string, access: Access): Array<readonly [string, Access]> {
  return (['v1', 'v2'] as const).map((version) => [route.replace('{version}', version), access] as const);
}

describe('Access', () => {
  it('is what the table says, for every route and no other', () => {
    const declared = ROUTES.flatMap((route) =>
      concretePaths(route).map((path) => [`${route.method} ${path}`, route.endpoint.spec.access] as const),
    );
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(TABLE));
    expect(declared).toHaveLength(TABLE.length);
  });

  it('ENCHANTER and ADMIN are the only levels a route can ask for by name', () => {
    const named = ROUTES.map((route) => route.endpoint.spec.access).filter((access) => typeof access !== 'string');
    for (const levels of named) expect([[...ENCHANTER_OR_ADMIN], ['ENCHANTER']]).toContainEqual([...levels]);
  });
});
