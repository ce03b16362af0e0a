import type { Route, Version } from '../routes.ts';

/**
 * What clients call the operations of the routes. A change breaks every program that is written with a generated
 * client.
 */
const OPERATION_IDS: Readonly<Record<string, string>> = {
  'GET /api/{version}/auth/': 'authenticate',
  'GET /api/{version}/auth/refresh/': 'refreshToken',
  'POST /api/{version}/auth/logout': 'logout',
  'POST /api/{version}/auth/pairing': 'createPairingCode',
  'POST /api/{version}/auth/pair': 'pair',
  'GET /api/{version}/keys/': 'listKeys',
  'POST /api/{version}/keys/': 'createKey',
  'DELETE /api/{version}/keys/{key_id}': 'revokeKey',
  'GET /api/{version}/certificate/': 'getCertificate',
  'GET /.well-known/jwks.json': 'getJwks',

  'POST /api/{version}/coordinates/': 'sendCoordinates',
  'POST /api/{version}/str/': 'sendStr',
  'POST /api/{version}/int/': 'sendInt',
  'POST /api/{version}/float/': 'sendFloat',
  'POST /api/{version}/bool/': 'sendBool',
  'POST /api/{version}/dict/': 'sendDict',
  'POST /api/{version}/list/': 'sendList',
  'GET /api/{version}/get/{command}': 'sendNoArg',
  'POST /api/{version}/commands/{command}/': 'runCommand',
  'GET /api/{version}/commands/': 'listCommands',
  'POST /api/{version}/stop': 'stopRobot',
  'GET /api/{version}/lease/': 'getLease',
  'POST /api/{version}/lease/': 'acquireLease',
  'POST /api/{version}/lease/take': 'takeLease',
  'PUT /api/{version}/lease/{lease_id}': 'keepLease',
  'DELETE /api/{version}/lease/{lease_id}': 'releaseLease',
  'POST /api/{version}/jog/': 'jog',
  'POST /api/{version}/runs/': 'startRun',
  'GET /api/{version}/runs/': 'listRuns',
  'GET /api/{version}/runs/{run_id}': 'getRun',
  'POST /api/{version}/runs/{run_id}/stop': 'stopRun',
  'GET /api/{version}/runs/{run_id}/logs': 'getRunLogs',
  'GET /api/{version}/estop': 'getEmergencyStop',
  'GET /api/{version}/robots/': 'listRobots',

  'GET /api/{version}/urdf/': 'listUrdfs',
  'GET /api/{version}/urdf/{filename+}': 'getUrdf',
  'PUT /api/{version}/urdf/{filename+}': 'uploadUrdf',
  'DELETE /api/{version}/urdf/{filename+}': 'deleteUrdf',
  'GET /api/{version}/meshes/~{signature}/{filepath+}': 'getSignedMesh',
  'GET /api/{version}/meshes/{filepath+}': 'getMesh',
  'PUT /api/{version}/meshes/{filepath+}': 'uploadMesh',
  'DELETE /api/{version}/meshes/{filepath+}': 'deleteMesh',

  'GET /api/{version}/database/read/': 'readTable',
  'GET /api/{version}/database/read_item/': 'readRow',
  'POST /api/{version}/database/add_item/': 'addRow',
  'DELETE /api/{version}/database/delete_item/': 'deleteRow',
  'PUT /api/{version}/database/update_item/': 'updateRow',
  'DELETE /api/{version}/database/clear_table/': 'clearTable',
  'PUT /api/{version}/database/update_controller_config/': 'updateControllerConfig',
  'GET /api/{version}/clear_database': 'clearDatabase',
  'POST /api/{version}/database/export_table/': 'exportTable',
  'POST /api/{version}/database/import_table/': 'importTable',
  'GET /api/{version}/database/exports/': 'listExports',
  'DELETE /api/{version}/database/exports/{filepath+}': 'deleteExport',
  'GET /api/{version}/database/get_path/': 'getDatabasePath',
  'GET /api/{version}/database/tables/': 'listTables',
  'GET /api/{version}/database/tables/{table}.csv': 'downloadTable',
  'PUT /api/{version}/database/tables/{table}.csv': 'uploadTable',
  'GET /api/{version}/database/backups/': 'listBackups',
  'POST /api/{version}/database/backups/': 'createBackup',
  'GET /api/{version}/database/backups/{name}': 'downloadBackup',
  'PUT /api/{version}/database/backups/{name}': 'uploadBackup',
  'POST /api/{version}/database/restore/': 'restoreBackup',

  'GET /api/{version}/backup/': 'listKeptArchives',
  'POST /api/{version}/backup/': 'backUpRobot',
  'POST /api/{version}/backup/restore': 'restoreRobot',
  'POST /api/{version}/incident/': 'bundleIncident',

  'POST /api/{version}/skill/upload/': 'uploadSkill',
  'DELETE /api/{version}/skill/remove/': 'deleteSkill',
  'POST /api/{version}/skill/remove/': 'deleteSkillByPost',
  'GET /api/{version}/skill/list/': 'listSkills',
  'PATCH /api/{version}/skill/enable/': 'enableSkill',
  'POST /api/{version}/skill/enable/': 'enableSkillByPost',
  'GET /api/{version}/skill/download/{skill_name}': 'downloadSkill',
  'PATCH /api/{version}/skill/rename/': 'renameSkill',

  'POST /api/{version}/network/configure/': 'configureWifi',
  'GET /api/{version}/network/get_wifi_list': 'scanWifi',

  'GET /api/{version}/llm_config/': 'getLlmConfig',
  'PATCH /api/{version}/llm_config/': 'updateLlmConfig',
  'GET /api/{version}/volume/': 'getVolume',
  'POST /api/{version}/volume/': 'setVolume',

  'GET /api/{version}/service/get_services_list': 'listServices',
  'GET /api/{version}/service/{system}/{service_name}': 'getServiceLogs',
  'POST /api/{version}/service/{system}/{service_name}/restart': 'restartService',
  'GET /api/{version}/events': 'streamEvents',
  'GET /api/{version}/audit/': 'readAuditTrail',

  'GET /status': 'getStatus',
  'GET /health/live': 'checkLive',
  'GET /health/ready': 'checkReady',
  'GET /metrics': 'getMetrics',
  'GET /openapi.json': 'getOpenApiDocument',
  'GET /asyncapi.json': 'getAsyncApiDocument',
  'GET /docs': 'getDocsPage',
  'GET /docs/{file}': 'getDocsFile',
  'GET /': 'getConsolePage',
  'GET /console/{file}': 'getConsoleFile',
};

/** Unique, and stable; `listCommands`, and `listCommandsV1` for its twin of version 1. */
export function operationId(route: Route, version: Version | undefined): string {
  const name = OPERATION_IDS[`${route.method} ${route.path}`] ?? derivedId(route);
  return version === 'v1' ? `${name}V1` : name;
}

/** For routes without a name; a test refuses such a route of the service. */
function derivedId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '' && word !== 'api' && word !== 'version');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Whether the route has a name of its own. */
export function isNamed({ method, path }: Route): boolean {
  return `${method} ${path}` in OPERATION_IDS;
}
