import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../local-host/routes.ts';

/**
 * What answers under `/{robot_id}/rest` in a fleet: it concerns that robot, or acts on nothing. A new route must be
 * entered here or below by hand, so that nothing acts on the host in the name of a robot.
 */
const OF_A_ROBOT = [
  'GET /api/{version}/auth/',
  'GET /api/{version}/auth/refresh/',
  'POST /api/{version}/auth/logout',
  'GET /.well-known/jwks.json',
  'POST /api/{version}/coordinates/',
  'POST /api/{version}/str/',
  'POST /api/{version}/int/',
  'POST /api/{version}/float/',
  'POST /api/{version}/bool/',
  'POST /api/{version}/dict/',
  'POST /api/{version}/list/',
  'GET /api/{version}/get/{command}',
  'POST /api/{version}/commands/{command}/',
  'GET /api/{version}/commands/',
  'GET /api/{version}/estop',
  'POST /api/{version}/stop',
  'GET /api/{version}/events',
  'GET /status',
  'GET /openapi.json',
  'GET /asyncapi.json',
  'GET /docs',
  'GET /docs/{file}',
  'GET /',
  'GET /console/{file}',
];

/** What is only reachable at the host, or at the robot itself. */
const OF_THE_HOST = [
  'GET /api/{version}/lease/',
  'POST /api/{version}/lease/',
  'POST /api/{version}/lease/take',
  'PUT /api/{version}/lease/{lease_id}',
  'DELETE /api/{version}/lease/{lease_id}',
  'POST /api/{version}/runs/',
  'GET /api/{version}/runs/',
  'GET /api/{version}/runs/{run_id}',
  'POST /api/{version}/runs/{run_id}/stop',
  'GET /api/{version}/runs/{run_id}/logs',
  'POST /api/{version}/jog/',
  'POST /api/{version}/auth/pairing',
  'POST /api/{version}/auth/pair',
  'GET /api/{version}/keys/',
  'POST /api/{version}/keys/',
  'DELETE /api/{version}/keys/{key_id}',
  'GET /api/{version}/urdf/',
  'GET /api/{version}/urdf/{filename+}',
  'GET /api/{version}/meshes/~{signature}/{filepath+}',
  'GET /api/{version}/certificate/',
  'GET /api/{version}/meshes/{filepath+}',
  'PUT /api/{version}/urdf/{filename+}',
  'DELETE /api/{version}/urdf/{filename+}',
  'PUT /api/{version}/meshes/{filepath+}',
  'DELETE /api/{version}/meshes/{filepath+}',
  'GET /api/{version}/database/read/',
  'GET /api/{version}/database/read_item/',
  'POST /api/{version}/database/add_item/',
  'DELETE /api/{version}/database/delete_item/',
  'PUT /api/{version}/database/update_item/',
  'DELETE /api/{version}/database/clear_table/',
  'PUT /api/{version}/database/update_controller_config/',
  'GET /api/{version}/clear_database',
  'POST /api/{version}/database/export_table/',
  'POST /api/{version}/database/import_table/',
  'GET /api/{version}/database/exports/',
  'DELETE /api/{version}/database/exports/{filepath+}',
  'GET /api/{version}/database/get_path/',
  'GET /api/{version}/database/tables/',
  'GET /api/{version}/database/tables/{table}.csv',
  'PUT /api/{version}/database/tables/{table}.csv',
  'GET /api/{version}/database/backups/',
  'POST /api/{version}/database/backups/',
  'GET /api/{version}/database/backups/{name}',
  'PUT /api/{version}/database/backups/{name}',
  'POST /api/{version}/database/restore/',
  'GET /api/{version}/backup/',
  'POST /api/{version}/backup/',
  'POST /api/{version}/backup/restore',
  'POST /api/{version}/incident/',
  'POST /api/{version}/skill/upload/',
  'DELETE /api/{version}/skill/remove/',
  'POST /api/{version}/skill/remove/',
  'GET /api/{version}/skill/list/',
  'PATCH /api/{version}/skill/enable/',
  'POST /api/{version}/skill/enable/',
  'GET /api/{version}/skill/download/{skill_name}',
  'PATCH /api/{version}/skill/rename/',
  'POST /api/{version}/network/configure/',
  'GET /api/{version}/network/get_wifi_list',
  'GET /api/{version}/llm_config/',
  'PATCH /api/{version}/llm_config/',
  'GET /api/{version}/volume/',
  'POST /api/{version}/volume/',
  'GET /api/{version}/service/get_services_list',
  'GET /api/{version}/service/{system}/{service_name}',
  'POST /api/{version}/service/{system}/{service_name}/restart',
  'GET /api/{version}/robots/',
  'GET /api/{version}/audit/',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
];

describe('Under the path of a robot', () => {
  const keys = (perRobot: boolean) =>
    new Set(
      ROUTES.filter(({ endpoint }) => (endpoint.spec.perRobot === true) === perRobot).map(
        ({ method, path }) => `${method} ${path}`,
      ),
    );

  it('every route answers or is refused as the tables say', () => {
    expect([...keys(true)].sort()).toEqual([...OF_A_ROBOT].sort());
    expect([...keys(false)].sort()).toEqual([...OF_THE_HOST].sort());
  });

  it('no route answers for one version and is refused for another', () => {
    expect(OF_A_ROBOT.filter((key) => OF_THE_HOST.includes(key))).toEqual([]);
  });

  it('whatever runs in the cloud answers: there is no host there', () => {
    const cloud = ROUTES.filter((route) => route.cloud && !route.endpoint.spec.perRobot);
    expect(cloud.map(({ path }) => path)).toEqual([]);
  });
});
