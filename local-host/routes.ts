import * as authenticateV1 from '../functions/auth/authenticate-v1.handler.ts';
import * as authenticateV2 from '../functions/auth/authenticate-v2.handler.ts';
import * as createKey from '../functions/auth/create-key.handler.ts';
import * as createPairingCode from '../functions/auth/create-pairing-code.handler.ts';
import * as getJwks from '../functions/auth/get-jwks.handler.ts';
import * as listKeys from '../functions/auth/list-keys.handler.ts';
import * as logout from '../functions/auth/logout.handler.ts';
import * as pair from '../functions/auth/pair.handler.ts';
import * as refreshToken from '../functions/auth/refresh-token.handler.ts';
import * as revokeKey from '../functions/auth/revoke-key.handler.ts';
import * as getCommand from '../functions/commands/get-command.handler.ts';
import * as getEmergencyStop from '../functions/commands/get-emergency-stop.handler.ts';
import * as sendJog from '../functions/commands/jog/send-jog.handler.ts';
import * as acquireLease from '../functions/commands/lease/acquire-lease.handler.ts';
import * as getLease from '../functions/commands/lease/get-lease.handler.ts';
import * as keepLease from '../functions/commands/lease/keep-lease.handler.ts';
import * as releaseLease from '../functions/commands/lease/release-lease.handler.ts';
import * as takeLease from '../functions/commands/lease/take-lease.handler.ts';
import * as listCommands from '../functions/commands/list-commands.handler.ts';
import * as runCommand from '../functions/commands/run-command.handler.ts';
import * as getRun from '../functions/commands/runs/get-run.handler.ts';
import * as getRunLogs from '../functions/commands/runs/get-run-logs.handler.ts';
import * as listRuns from '../functions/commands/runs/list-runs.handler.ts';
import * as startRun from '../functions/commands/runs/start-run.handler.ts';
import * as stopRun from '../functions/commands/runs/stop-run.handler.ts';
import * as sendBool from '../functions/commands/send-bool.handler.ts';
import * as sendCoordinates from '../functions/commands/send-coordinates.handler.ts';
import * as sendDict from '../functions/commands/send-dict.handler.ts';
import * as sendFloat from '../functions/commands/send-float.handler.ts';
import * as sendInt from '../functions/commands/send-int.handler.ts';
import * as sendList from '../functions/commands/send-list.handler.ts';
import * as sendStr from '../functions/commands/send-str.handler.ts';
import * as stop from '../functions/commands/stop.handler.ts';
import * as addItem from '../functions/database/add-item.handler.ts';
import * as clearDatabase from '../functions/database/clear-database.handler.ts';
import * as clearTable from '../functions/database/clear-table.handler.ts';
import * as createBackup from '../functions/database/create-backup.handler.ts';
import * as deleteExport from '../functions/database/delete-export.handler.ts';
import * as deleteItem from '../functions/database/delete-item.handler.ts';
import * as downloadBackup from '../functions/database/download-backup.handler.ts';
import * as downloadTable from '../functions/database/download-table.handler.ts';
import * as exportTable from '../functions/database/export-table.handler.ts';
import * as getPath from '../functions/database/get-path.handler.ts';
import * as importTable from '../functions/database/import-table.handler.ts';
import * as listBackups from '../functions/database/list-backups.handler.ts';
import * as listExports from '../functions/database/list-exports.handler.ts';
import * as listTables from '../functions/database/list-tables.handler.ts';
import * as readItem from '../functions/database/read-item.handler.ts';
import * as readTable from '../functions/database/read-table.handler.ts';
import * as restoreBackup from '../functions/database/restore-backup.handler.ts';
import * as updateControllerConfig from '../functions/database/update-controller-config.handler.ts';
import * as updateItem from '../functions/database/update-item.handler.ts';
import * as uploadBackup from '../functions/database/upload-backup.handler.ts';
import * as uploadTable from '../functions/database/upload-table.handler.ts';
import * as readAudit from '../functions/system/audit/read-audit.handler.ts';
import * as backUpRobot from '../functions/system/backup/back-up-robot.handler.ts';
import * as listKeptArchives from '../functions/system/backup/list-kept-archives.handler.ts';
import * as restoreRobot from '../functions/system/backup/restore-robot.handler.ts';
import * as getCertificate from '../functions/system/certificate/get-certificate.handler.ts';
import * as getConsoleFile from '../functions/system/console/get-console-file.handler.ts';
import * as getConsolePage from '../functions/system/console/get-console-page.handler.ts';
import * as deleteMesh from '../functions/system/description/delete-mesh.handler.ts';
import * as deleteUrdf from '../functions/system/description/delete-urdf.handler.ts';
import * as getMesh from '../functions/system/description/get-mesh.handler.ts';
import * as getSignedMesh from '../functions/system/description/get-signed-mesh.handler.ts';
import * as getUrdf from '../functions/system/description/get-urdf.handler.ts';
import * as listUrdf from '../functions/system/description/list-urdf.handler.ts';
import * as uploadMesh from '../functions/system/description/upload-mesh.handler.ts';
import * as uploadUrdf from '../functions/system/description/upload-urdf.handler.ts';
import * as getAsyncapi from '../functions/system/documentation/get-asyncapi.handler.ts';
import * as getDocsFile from '../functions/system/documentation/get-docs-file.handler.ts';
import * as getDocsPage from '../functions/system/documentation/get-docs-page.handler.ts';
import * as getOpenapi from '../functions/system/documentation/get-openapi.handler.ts';
import * as bundleIncident from '../functions/system/incident/bundle-incident.handler.ts';
import * as getLlmConfig from '../functions/system/llm-config/get-llm-config.handler.ts';
import * as patchLlmConfig from '../functions/system/llm-config/patch-llm-config.handler.ts';
import * as configureWifi from '../functions/system/network/configure-wifi.handler.ts';
import * as getWifiList from '../functions/system/network/get-wifi-list.handler.ts';
import * as listRobots from '../functions/system/robots/list-robots.handler.ts';
import * as getLogs from '../functions/system/services/get-logs.handler.ts';
import * as listServices from '../functions/system/services/list-services.handler.ts';
import * as restartService from '../functions/system/services/restart-service.handler.ts';
import * as downloadSkill from '../functions/system/skills/download-skill.handler.ts';
import * as enableSkill from '../functions/system/skills/enable-skill.handler.ts';
import * as listSkills from '../functions/system/skills/list-skills.handler.ts';
import * as removeSkill from '../functions/system/skills/remove-skill.handler.ts';
import * as removeSkillByBody from '../functions/system/skills/remove-skill-by-body.handler.ts';
import * as renameSkill from '../functions/system/skills/rename-skill.handler.ts';
import * as uploadSkill from '../functions/system/skills/upload-skill.handler.ts';
import * as checkLive from '../functions/system/status/check-live.handler.ts';
import * as checkReady from '../functions/system/status/check-ready.handler.ts';
import * as getMetrics from '../functions/system/status/get-metrics.handler.ts';
import * as getStatus from '../functions/system/status/get-status.handler.ts';
import * as getVolume from '../functions/system/volume/get-volume.handler.ts';
import * as setVolume from '../functions/system/volume/set-volume.handler.ts';

import * as streamEvents from './events/stream-events.handler.ts';
import { type Route, route } from './route.ts';

export type { Method, Route, Version } from './route.ts';

const CLOUD = { cloud: true } as const;

/**
 * All routes, grouped like the specification. Each is served under `/` and `/rest/`, with and without a trailing slash.
 */
export const ROUTES: readonly Route[] = [
  // Authentication
  route('GET', '/api/{version}/auth/', authenticateV1, { versions: ['v1'], ...CLOUD }),
  route('GET', '/api/{version}/auth/', authenticateV2, { versions: ['v2'], ...CLOUD }),
  route('GET', '/api/{version}/auth/refresh/', refreshToken, { versions: ['v2'], ...CLOUD }),
  route('POST', '/api/{version}/auth/logout', logout, { versions: ['v2'] }),
  route('POST', '/api/{version}/auth/pairing', createPairingCode, { versions: ['v2'] }),
  route('POST', '/api/{version}/auth/pair', pair, { versions: ['v2'] }),
  route('GET', '/api/{version}/keys/', listKeys, { versions: ['v2'] }),
  route('POST', '/api/{version}/keys/', createKey, { versions: ['v2'] }),
  route('DELETE', '/api/{version}/keys/{key_id}', revokeKey, { versions: ['v2'] }),
  route('GET', '/api/{version}/certificate/', getCertificate, { versions: ['v2'] }),
  route('GET', '/.well-known/jwks.json', getJwks, CLOUD),

  // Commands
  route('POST', '/api/{version}/coordinates/', sendCoordinates, CLOUD),
  route('POST', '/api/{version}/str/', sendStr, CLOUD),
  route('POST', '/api/{version}/int/', sendInt, CLOUD),
  route('POST', '/api/{version}/float/', sendFloat, CLOUD),
  route('POST', '/api/{version}/bool/', sendBool, CLOUD),
  route('POST', '/api/{version}/dict/', sendDict, CLOUD),
  route('POST', '/api/{version}/list/', sendList, CLOUD),
  route('GET', '/api/{version}/get/{command}', getCommand, CLOUD),
  route('POST', '/api/{version}/commands/{command}/', runCommand, { versions: ['v2'], ...CLOUD }),
  route('GET', '/api/{version}/commands/', listCommands, CLOUD),
  route('POST', '/api/{version}/stop', stop, CLOUD),
  route('GET', '/api/{version}/lease/', getLease, { versions: ['v2'] }),
  route('POST', '/api/{version}/lease/', acquireLease, { versions: ['v2'] }),
  route('POST', '/api/{version}/lease/take', takeLease, { versions: ['v2'] }),
  route('PUT', '/api/{version}/lease/{lease_id}', keepLease, { versions: ['v2'] }),
  route('DELETE', '/api/{version}/lease/{lease_id}', releaseLease, { versions: ['v2'] }),
  route('POST', '/api/{version}/jog/', sendJog, { versions: ['v2'] }),
  route('POST', '/api/{version}/runs/', startRun, { versions: ['v2'] }),
  route('GET', '/api/{version}/runs/', listRuns, { versions: ['v2'] }),
  route('GET', '/api/{version}/runs/{run_id}', getRun, { versions: ['v2'] }),
  route('POST', '/api/{version}/runs/{run_id}/stop', stopRun, { versions: ['v2'] }),
  route('GET', '/api/{version}/runs/{run_id}/logs', getRunLogs, { versions: ['v2'] }),
  route('GET', '/api/{version}/estop', getEmergencyStop, { versions: ['v2'] }),

  // Robot description
  route('GET', '/api/{version}/urdf/', listUrdf, { versions: ['v2'] }),
  route('GET', '/api/{version}/urdf/{filename+}', getUrdf),
  route('PUT', '/api/{version}/urdf/{filename+}', uploadUrdf, { versions: ['v2'] }),
  route('DELETE', '/api/{version}/urdf/{filename+}', deleteUrdf, { versions: ['v2'] }),
  route('GET', '/api/{version}/meshes/~{signature}/{filepath+}', getSignedMesh),
  route('GET', '/api/{version}/meshes/{filepath+}', getMesh),
  route('PUT', '/api/{version}/meshes/{filepath+}', uploadMesh, { versions: ['v2'] }),
  route('DELETE', '/api/{version}/meshes/{filepath+}', deleteMesh, { versions: ['v2'] }),

  // Database
  route('GET', '/api/{version}/database/read/', readTable),
  route('GET', '/api/{version}/database/read_item/', readItem),
  route('POST', '/api/{version}/database/add_item/', addItem),
  route('DELETE', '/api/{version}/database/delete_item/', deleteItem),
  route('PUT', '/api/{version}/database/update_item/', updateItem),
  route('DELETE', '/api/{version}/database/clear_table/', clearTable),
  route('PUT', '/api/{version}/database/update_controller_config/', updateControllerConfig),
  route('GET', '/api/{version}/clear_database', clearDatabase),
  route('POST', '/api/{version}/database/export_table/', exportTable),
  route('POST', '/api/{version}/database/import_table/', importTable),
  route('GET', '/api/{version}/database/exports/', listExports, { versions: ['v2'] }),
  route('DELETE', '/api/{version}/database/exports/{filepath+}', deleteExport, { versions: ['v2'] }),
  route('GET', '/api/{version}/database/get_path/', getPath),
  route('GET', '/api/{version}/database/tables/', listTables, { versions: ['v2'] }),
  route('GET', '/api/{version}/database/tables/{table}.csv', downloadTable, { versions: ['v2'] }),
  route('PUT', '/api/{version}/database/tables/{table}.csv', uploadTable, { versions: ['v2'] }),
  route('GET', '/api/{version}/database/backups/', listBackups),
  route('POST', '/api/{version}/database/backups/', createBackup, { versions: ['v2'] }),
  route('GET', '/api/{version}/database/backups/{name}', downloadBackup, { versions: ['v2'] }),
  route('PUT', '/api/{version}/database/backups/{name}', uploadBackup, { versions: ['v2'] }),
  route('POST', '/api/{version}/database/restore/', restoreBackup),

  // Whole robot
  route('GET', '/api/{version}/backup/', listKeptArchives, { versions: ['v2'] }),
  route('POST', '/api/{version}/backup/', backUpRobot, { versions: ['v2'] }),
  route('POST', '/api/{version}/backup/restore', restoreRobot, { versions: ['v2'] }),
  route('POST', '/api/{version}/incident/', bundleIncident, { versions: ['v2'] }),

  // Skills
  route('POST', '/api/{version}/skill/upload/', uploadSkill),
  route('DELETE', '/api/{version}/skill/remove/', removeSkill),
  route('POST', '/api/{version}/skill/remove/', removeSkillByBody, { versions: ['v1'] }),
  route('GET', '/api/{version}/skill/list/', listSkills),
  route('PATCH', '/api/{version}/skill/enable/', enableSkill),
  route('POST', '/api/{version}/skill/enable/', enableSkill, { versions: ['v1'] }),
  route('GET', '/api/{version}/skill/download/{skill_name}', downloadSkill),
  route('PATCH', '/api/{version}/skill/rename/', renameSkill),

  // Network
  route('POST', '/api/{version}/network/configure/', configureWifi),
  route('GET', '/api/{version}/network/get_wifi_list', getWifiList),

  // LLM configuration
  route('GET', '/api/{version}/llm_config/', getLlmConfig),
  route('PATCH', '/api/{version}/llm_config/', patchLlmConfig),
  // Audio
  route('GET', '/api/{version}/volume/', getVolume),
  route('POST', '/api/{version}/volume/', setVolume),

  // System services
  route('GET', '/api/{version}/service/get_services_list', listServices),
  route('GET', '/api/{version}/service/{system}/{service_name}', getLogs),
  route('POST', '/api/{version}/service/{system}/{service_name}/restart', restartService, { versions: ['v2'] }),

  // Robots
  route('GET', '/api/{version}/robots/', listRobots, { versions: ['v2'] }),

  // Events; the WebSocket on the same path is no route
  route('GET', '/api/{version}/events', streamEvents, { versions: ['v2'] }),

  // Audit
  route('GET', '/api/{version}/audit/', readAudit),

  // Status and documentation
  route('GET', '/status', getStatus, CLOUD),
  route('GET', '/health/live', checkLive),
  route('GET', '/health/ready', checkReady),
  route('GET', '/metrics', getMetrics),
  route('GET', '/openapi.json', getOpenapi, CLOUD),
  route('GET', '/asyncapi.json', getAsyncapi),
  route('GET', '/docs', getDocsPage),
  route('GET', '/docs/{file}', getDocsFile),

  // Console
  route('GET', '/', getConsolePage),
  route('GET', '/console/{file}', getConsoleFile),
];
