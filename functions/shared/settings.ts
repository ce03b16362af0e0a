import * as z from 'zod';
import { ACCESS_LEVELS } from './access.ts';
import {
  absolutePath,
  allowedUnits,
  bodyBytes,
  bytes,
  flag,
  groupName,
  hours,
  list,
  milliseconds,
  port,
  robotId,
  robotName,
  seconds,
  speed,
  sqliteUrl,
  sshPublicKey,
  videoUrl,
  wholeNumber,
} from './setting-types.ts';

/**
 * Every setting of the service, as environment variables; docs/configuration.md is printed from this schema. An empty
 * variable counts as absent, except SERVICE_SOCKET_PATH, SERVICE_EVENTS_PORT and SERVICE_STOP_PORT, where empty means
 * "none".
 */
export const SETTINGS = z.object({
  SERVICE_MODE: z
    .enum(['sim', 'robot'])
    .default('sim')
    .describe('`sim`: everything simulated, for a laptop. `robot`: the real machine'),
  SERVICE_HOST: z.string().optional().describe('address of the TCP listener; 127.0.0.1 in sim, 0.0.0.0 in robot mode'),
  SERVICE_PORT: port.default(8000).describe('port of the TCP listener; 0 picks a free one'),
  SERVICE_EVENTS_PORT: z
    .union([z.literal(''), port])
    .optional()
    .describe(
      "port on which the vendor's Python client receives events; empty: none; SERVICE_PORT + 1. If it is taken, the log and `/health/ready` say so",
    ),
  SERVICE_STOP_PORT: z
    .union([z.literal(''), port])
    .optional()
    .describe(
      'port that serves stop alone, by the guard where there is one; with a certificate also SERVICE_TLS_PORT + 2; empty: none; SERVICE_PORT + 2. If it is taken, the log and `/health/ready` say so',
    ),
  SERVICE_DATA_DIR: absolutePath.optional().describe('data folder of the service; `~/.robot-rest`'),
  SERVICE_SOCKET_PATH: z
    .union([z.literal(''), absolutePath])
    .default('/tmp/rest_api.sock')
    .describe(
      'Unix socket; empty: none. If it cannot be created, the log and `/health/ready` say so, and TCP still works',
    ),
  SERVICE_SOCKET_GROUP: groupName.optional().describe('group that may use the socket'),
  SERVICE_SOCKET_ACCESS_LEVEL: z
    .enum(ACCESS_LEVELS)
    .default('ADMIN')
    .describe('access level of callers over the socket'),
  SERVICE_JWT_SIGNING_KEY_PATH: absolutePath
    .optional()
    .describe('PEM file of the signing key; `~/.robot-rest/jwt-signing-key.pem`'),
  SERVICE_JWT_SIGNING_KEY: z.string().optional().describe('PEM text of the signing key, for systems without a disk'),
  SERVICE_JWT_EPHEMERAL: flag
    .default(false)
    .describe('`1`: the signing key is only kept in memory and changes at each start'),
  SERVICE_ISSUER: z.string().min(1).max(64).default('robot-rest').describe('`iss` of the tokens'),
  SERVICE_SESSION_MAX_HOURS: hours
    .default(0)
    .describe(
      'hours after which a client must authenticate again, however often it has refreshed its token; `0`: never',
    ),
  SERVICE_API_KEYS: z.string().optional().describe('API-key records as JSON, for systems without a disk'),
  SERVICE_DATABASE_URL: sqliteUrl
    .optional()
    .describe('SQLAlchemy-style URL; `sqlite:///` + absolute path of robot.sqlite in the data folder'),
  SERVICE_EXPORT_DIR: absolutePath.optional().describe('folder of CSV exports; `exports` in the data folder'),
  SERVICE_EXPORT_MAX_BYTES: bytes.default(1024 ** 3).describe('maximum total size of CSV exports, in bytes'),
  SERVICE_BACKUP_MAX_BYTES: bytes
    .default(2 * 1024 ** 3)
    .describe('maximum total size of snapshots younger than 7 days, in bytes'),
  SERVICE_MIN_FREE: bytes
    .optional()
    .describe(
      'bytes to keep free on each disk; requests that add data fail below that; `0`: none, and on a full disk rows cannot be deleted either; 256 MiB, or 5 % of a disk below 5 GiB',
    ),
  SERVICE_SKILLS_DIR: absolutePath.optional().describe('folder of the Python skills; `skills` in the data folder'),
  SERVICE_SKILL_PYTHON: z
    .string()
    .default('python3')
    .describe('interpreter that parses and runs the skills; it may be one with the packages of a maker'),
  SERVICE_SKILL_CONCURRENCY: wholeNumber(1, 8)
    .default(1)
    .describe('how many runs of skills there may be at the same time, 1 to 8'),
  SERVICE_SKILL_MEMORY_MB: wholeNumber(64, 65536)
    .default(512)
    .describe('memory of a run, in MiB; under bubblewrap of each of its processes'),
  SERVICE_SKILL_TASKS: wholeNumber(4, 4096).default(64).describe('processes and threads of a run'),
  SERVICE_SKILL_DISK_MB: wholeNumber(1, 4096)
    .default(64)
    .describe('size of the temporary folder of a run, in MiB; it is in memory'),
  SERVICE_DESCRIPTION_DIR: absolutePath
    .optional()
    .describe('folder of URDF and meshes; `description` in the data folder'),
  SERVICE_LLM_CONFIG_PATH: absolutePath
    .optional()
    .describe('language-model YAML; `llm_config.yaml` in the data folder'),
  SERVICE_WIFI_ALLOW_UNVERIFIED_EAP: flag.default(false).describe('`1`: allow 802.1X without verifying the server'),
  SERVICE_AUDIO_RUNTIME_DIR: absolutePath.optional().describe('XDG_RUNTIME_DIR of the audio session'),
  SERVICE_AUDIO_SERVER: z.string().optional().describe('PULSE_SERVER of the audio session'),
  SERVICE_ALLOWED_UNITS: allowedUnits
    .optional()
    .describe(
      'units that may be listed and read, `head=a-*.service,b.service;base=*.service`; in sim mode all, which are simulated, in robot mode none',
    ),
  SERVICE_RESTARTABLE_UNITS: allowedUnits
    .optional()
    .describe(
      "units that may be restarted, in the same form; never the service's own and the guard's; in sim mode all, which are simulated, in robot mode none. On head install.sh tells polkit: run it again after a change",
    ),
  SERVICE_JOURNAL_DIR: absolutePath
    .optional()
    .describe('folder of journal files to read instead of the system journal of head'),
  SERVICE_BASE_HOST: z.string().optional().describe('host name of the base computer'),
  SERVICE_BASE_PORT: port.default(22).describe('SSH port of the base computer'),
  SERVICE_BASE_USER: z.string().optional().describe('SSH user on the base computer'),
  SERVICE_BASE_KEY_PATH: absolutePath.optional().describe('private SSH key for the base computer'),
  SERVICE_BASE_HOST_KEY: sshPublicKey
    .optional()
    .describe('pinned SSH host key of the base computer, `ssh-ed25519 AAAA…`'),
  SERVICE_BASE_JOURNAL_DIR: absolutePath
    .optional()
    .describe('folder of journal files to read on base instead of its system journal'),
  SERVICE_ROBOT_URL: z
    .string()
    .optional()
    .describe(
      'address of the robot: `sim:`, `mqtts://user:password@broker/robot-id` (without the id: a fleet) or `ws://robot:9090` (rosbridge); `sim:` in sim mode, none in robot mode',
    ),
  SERVICE_ROBOT_MAPPING_PATH: absolutePath
    .optional()
    .describe('mapping of commands for a robot behind rosbridge; `rosbridge.yaml` in the data folder'),
  SERVICE_ROBOT_ID: robotId
    .optional()
    .describe('id of this robot, and `aud` of its tokens; from SERVICE_ROBOT_URL, or the host name'),
  SERVICE_ROBOT_NAME: robotName.optional().describe('name of this robot for people, shown by `/status`; its id'),
  SERVICE_COMMAND_TIMEOUT_MS: milliseconds.default(10_000).describe('command timeout in ms'),
  SERVICE_COMMAND_BODY_MAX: bodyBytes
    .default(256 * 1024)
    .describe('maximum body size of a command in bytes, 1024 to 1048576; the limit for other bodies is 1048576'),
  SERVICE_LEASE: z
    .enum(['optional', 'required'])
    .default('optional')
    .describe('`required`: only the holder of the lease moves the robot; `optional`: anybody while nobody holds it'),
  SERVICE_LEASE_USER_MAX_S: seconds
    .default(3600)
    .describe('longest time of a lease of access level USER, in seconds, counted from when it was acquired'),
  SERVICE_STOP_HOLD_MS: milliseconds
    .default(500)
    .describe('how long after a stop of the guard no motion is sent, in ms: what is read meanwhile may be older'),
  SERVICE_GUARD_DIR: absolutePath
    .optional()
    .describe(
      'folder on a memory file system that the service shares with a guard started by somebody else, as a unit of systemd for instance; without it the service starts the guard',
    ),
  SERVICE_JOG_MAX_LINEAR: speed
    .default(0.25)
    .describe('fastest jog in m/s; faster frames are slowed down to it. The robot may have a lower limit'),
  SERVICE_JOG_MAX_ANGULAR: speed.default(0.5).describe('fastest turn of a jog in rad/s, likewise'),
  SERVICE_RELAY_URL: z
    .string()
    .regex(/^mqtts?:\/\//, 'mqtt:// or mqtts://')
    .optional()
    .describe('MQTT broker through which the cloud reaches this robot'),
  SERVICE_MEDIAMTX_API_URL: z
    .url({ protocol: /^https?$/, error: 'http:// or https://' })
    .optional()
    .describe('API of the MediaMTX server to notify of new signing keys'),
  SERVICE_VIDEO_URL: videoUrl
    .optional()
    .describe(
      'WHEP address of the camera that the page at `/` shows, `http://robot.local:8889/camera/whep` for instance; it is sent the token of whoever looks',
    ),
  SERVICE_ALLOW_PLAIN_SECRETS: flag
    .default(false)
    .describe('`1`: new API keys are also sent over connections without TLS, where others may read them'),
  SERVICE_TLS_PORT: port.default(8443).describe('port of the TLS listener, which is open if a certificate is set'),
  SERVICE_TLS_SELF_SIGNED: flag
    .default(false)
    .describe(
      '`1`, as on installed robots: without SERVICE_TLS_CERT_PATH the service makes a certificate of its own, `tls-certificate.pem` and `tls-key.pem` in the data folder, and renews it. If it cannot, the log and `/health/ready` say so',
    ),
  SERVICE_TLS_CERT_PATH: absolutePath.optional().describe('certificate chain (PEM) of the TLS listener'),
  SERVICE_TLS_KEY_PATH: absolutePath.optional().describe('private key (PEM) of the TLS listener'),
  SERVICE_CORS_ORIGINS: list.default([]).describe('allowed CORS origins, comma-separated; none: CORS is off'),
  SERVICE_ALLOWED_HOSTS: list
    .default([])
    .describe('further names allowed in the Host header, comma-separated; `*`: any'),
  SERVICE_TRUSTED_PROXY: list
    .default([])
    .describe('trusted proxies (CIDR list), whose X-Forwarded-For and -Prefix are used'),
  SERVICE_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('minimum log level'),
});

export type Settings = z.infer<typeof SETTINGS>;
