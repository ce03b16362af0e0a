import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { ACCESS_LEVELS } from './access.ts';
import { NO_UNITS } from './allowed-units.ts';
import { absolutePath, allowedUnits, bodyBytes, bytes, flag, list, milliseconds, port } from './setting-types.ts';

/**
 * Every setting of the service, as environment variables; the table in the README is checked against this schema by a
 * test. An empty variable counts as absent, except SERVICE_SOCKET_PATH, where empty means "no socket".
 */
export const SETTINGS = z.object({
  SERVICE_MODE: z
    .enum(['sim', 'robot'])
    .default('sim')
    .describe('`sim`: everything simulated, for a laptop. `robot`: the real machine'),
  SERVICE_HOST: z.string().optional().describe('address of the TCP listener; 127.0.0.1 in sim, 0.0.0.0 in robot mode'),
  SERVICE_PORT: port.default(8000).describe('port of the TCP listener; 0 picks a free one'),
  SERVICE_DATA_DIR: absolutePath.optional().describe('folder of everything the service keeps; `~/.robot-rest`'),
  SERVICE_SOCKET_PATH: z
    .union([z.literal(''), absolutePath])
    .default('/tmp/rest_api.sock')
    .describe('Unix socket; empty: none'),
  SERVICE_SOCKET_GROUP: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]{0,31}$/i, 'a group name')
    .optional()
    .describe('group that may use the socket'),
  SERVICE_SOCKET_ACCESS_LEVEL: z
    .enum(ACCESS_LEVELS)
    .default('ADMIN')
    .describe('access level of callers over the socket'),
  SERVICE_JWT_SIGNING_KEY_PATH: absolutePath
    .optional()
    .describe('PEM file of the signing key; `~/.robot-rest/jwt-signing-key.pem`'),
  SERVICE_JWT_SIGNING_KEY: z.string().optional().describe('PEM text of the signing key, where there is no disk'),
  SERVICE_JWT_EPHEMERAL: flag.default(false).describe('`1`: the signing key lives in memory and changes at each start'),
  SERVICE_ISSUER: z.string().min(1).max(64).default('robot-rest').describe('`iss` of the tokens'),
  SERVICE_API_KEYS: z.string().optional().describe('API-key records as JSON, where there is no disk'),
  SERVICE_DATABASE_URL: z
    .string()
    .regex(/^sqlite:\/\/\/\/[^?#]+$/, 'sqlite:/// and an absolute path, as in sqlite:////data/robot.sqlite')
    .optional()
    .describe('SQLAlchemy-style URL; `sqlite:///` + absolute path of robot.sqlite in the data folder'),
  SERVICE_EXPORT_DIR: absolutePath.optional().describe('folder of CSV exports; `exports` in the data folder'),
  SERVICE_BACKUP_MAX_BYTES: bytes
    .default(2 * 1024 ** 3)
    .describe('most bytes that snapshots younger than 7 days may fill'),
  SERVICE_SKILLS_DIR: absolutePath.optional().describe('folder of the Python skills; `skills` in the data folder'),
  SERVICE_SKILL_PYTHON: z.string().default('python3').describe('interpreter that runs the skills; used to parse them'),
  SERVICE_DESCRIPTION_DIR: absolutePath
    .optional()
    .describe('folder of URDF and meshes; `description` in the data folder'),
  SERVICE_LLM_CONFIG_PATH: absolutePath
    .optional()
    .describe('language-model YAML; `llm_config.yaml` in the data folder'),
  SERVICE_WIFI_ALLOW_UNVERIFIED_EAP: flag.default(false).describe('`1`: 802.1X without checking the server is allowed'),
  SERVICE_AUDIO_RUNTIME_DIR: absolutePath.optional().describe('XDG_RUNTIME_DIR of the audio session'),
  SERVICE_AUDIO_SERVER: z.string().optional().describe('PULSE_SERVER of the audio session'),
  SERVICE_ALLOWED_UNITS: allowedUnits
    .default(NO_UNITS)
    .describe('units that may be listed and read, `head=a-*.service,b.service;base=*.service`'),
  SERVICE_JOURNAL_DIR: absolutePath.optional().describe('journal files to read instead of the running journal of head'),
  SERVICE_BASE_HOST: z.string().optional().describe('host name of the base computer'),
  SERVICE_BASE_PORT: port.default(22).describe('SSH port of the base computer'),
  SERVICE_BASE_USER: z.string().optional().describe('SSH user on the base computer'),
  SERVICE_BASE_KEY_PATH: absolutePath.optional().describe('private SSH key for the base computer'),
  SERVICE_BASE_HOST_KEY: z
    .string()
    .regex(
      /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/]+={0,2}( .*)?$/,
      'a public key in one line, `ssh-ed25519 AAAA…`',
    )
    .optional()
    .describe('pinned SSH host key of the base computer, `ssh-ed25519 AAAA…`'),
  SERVICE_BASE_JOURNAL_DIR: absolutePath
    .optional()
    .describe('journal files to read on base instead of its running journal'),
  SERVICE_ROBOT_URL: z
    .string()
    .optional()
    .describe(
      'how the robot is reached: `sim:`, `ws[s]://host:9090` (rosbridge), or `mqtt[s]://user:password@broker/robot-id`, without the id a fleet; `sim:` in sim mode, none in robot mode',
    ),
  SERVICE_ROBOT_MAPPING_PATH: absolutePath
    .optional()
    .describe('what the commands are on a robot reached through rosbridge; `rosbridge.yaml` in the data folder'),
  SERVICE_ROBOT_ID: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, '1 to 64 of A-Z a-z 0-9 _ . -')
    .optional()
    .describe('id of this robot, `aud` of its tokens; the one in SERVICE_ROBOT_URL, else the host name'),
  SERVICE_COMMAND_TIMEOUT_MS: milliseconds.default(10_000).describe('longest time a command may take'),
  SERVICE_COMMAND_BODY_MAX: bodyBytes
    .default(256 * 1024)
    .describe('most bytes of the body of a command, 1024 to 1048576; other bodies may have 1048576'),
  SERVICE_RELAY_URL: z
    .string()
    .regex(/^mqtts?:\/\//, 'mqtt:// or mqtts://')
    .optional()
    .describe('MQTT broker this robot joins to be reached from the cloud'),
  SERVICE_MEDIAMTX_API_URL: z
    .url({ protocol: /^https?$/, error: 'http:// or https://' })
    .optional()
    .describe('API of the MediaMTX server that is told of new signing keys'),
  SERVICE_TLS_PORT: port.default(8443).describe('port of the TLS listener; it listens when a certificate is set'),
  SERVICE_TLS_CERT_PATH: absolutePath.optional().describe('certificate chain (PEM) of the TLS listener'),
  SERVICE_TLS_KEY_PATH: absolutePath.optional().describe('private key (PEM) of the TLS listener'),
  SERVICE_CORS_ORIGINS: list
    .default([])
    .describe('origins that browsers may call from, comma-separated; none: CORS is off'),
  SERVICE_ALLOWED_HOSTS: list.default([]).describe('further names in the Host header, comma-separated; `*`: any'),
  SERVICE_TRUSTED_PROXY: list.default([]).describe('CIDR list of proxies whose X-Forwarded-For and -Prefix count'),
  SERVICE_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('least level that is logged'),
});

export type Settings = z.infer<typeof SETTINGS>;

/** The settings with every default filled in that depends on another setting. Frozen; made once at start. */
export interface Config extends Readonly<Settings> {
  readonly SERVICE_HOST: string;
  readonly SERVICE_DATA_DIR: string;
  readonly SERVICE_JWT_SIGNING_KEY_PATH: string;
  readonly SERVICE_DATABASE_URL: string;
  readonly SERVICE_EXPORT_DIR: string;
  readonly SERVICE_SKILLS_DIR: string;
  readonly SERVICE_DESCRIPTION_DIR: string;
  readonly SERVICE_LLM_CONFIG_PATH: string;
  readonly SERVICE_ROBOT_MAPPING_PATH: string;
  readonly SERVICE_ROBOT_ID: string;
  /** SERVICE_ROBOT_URL names a broker and no robot: which robot is meant stands in the path, `/{robot_id}/rest/…`. */
  readonly fleet: boolean;
  /** True in AWS Lambda: no disk to keep things on, a gateway in front. */
  readonly inCloud: boolean;
  /** Port of AWS's secrets extension beside a function, and the token it asks for; undefined outside of AWS Lambda. */
  readonly secretsExtension: { readonly port: number; readonly token: string } | undefined;
  /** The part of the environment that child processes may see. */
  readonly childEnvironment: Readonly<Record<string, string>>;
}

/** A setting that cannot be used; the message names the variable and says what it should look like. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const CHILD_ENVIRONMENT = /^(PATH|LANG|HOME|XDG_RUNTIME_DIR|PULSE_SERVER|DBUS_[A-Z_]+)$/;

/**
 * Reads the settings from an environment.
 * @returns the frozen configuration and one warning for each unknown `SERVICE_*` name (a typing error, most often).
 * @throws ConfigError naming each variable that cannot be used. Values are not repeated: they may be secrets.
 */
export function loadConfig(environment: NodeJS.ProcessEnv): { config: Config; warnings: string[] } {
  const given: Record<string, string> = {};
  const warnings: string[] = [];
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('SERVICE_') || value === undefined) continue;
    if (!Object.hasOwn(SETTINGS.shape, name)) warnings.push(`${name} is not a setting of this service; it is ignored`);
    else if (value !== '' || name === 'SERVICE_SOCKET_PATH') given[name] = value;
  }
  const parsed = SETTINGS.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`These settings cannot be used. ${faults.join('; ')}`);
  }
  return { config: complete(parsed.data, environment), warnings };
}

/** The configuration of this very process, for Lambda functions, which have no main; `instead` outranks its settings. */
export function processConfig(instead: Readonly<Record<string, string>> = {}): Config {
  return loadConfig({ ...process.env, ...instead }).config;
}

function complete(settings: Settings, environment: NodeJS.ProcessEnv): Config {
  const home = environment.HOME ?? homedir();
  const keeping = join(home, '.robot-rest');
  const dataDir = resolve(settings.SERVICE_DATA_DIR ?? keeping);
  const robotUrl = settings.SERVICE_ROBOT_URL ?? (settings.SERVICE_MODE === 'sim' ? 'sim:' : undefined);
  const childEnvironment = Object.entries(environment).filter(([name]) => CHILD_ENVIRONMENT.test(name));
  return Object.freeze({
    ...settings,
    ...(robotUrl === undefined ? {} : { SERVICE_ROBOT_URL: robotUrl }),
    SERVICE_HOST: settings.SERVICE_HOST ?? (settings.SERVICE_MODE === 'robot' ? '0.0.0.0' : '127.0.0.1'),
    SERVICE_DATA_DIR: dataDir,
    SERVICE_JWT_SIGNING_KEY_PATH: settings.SERVICE_JWT_SIGNING_KEY_PATH ?? join(keeping, 'jwt-signing-key.pem'),
    SERVICE_DATABASE_URL: settings.SERVICE_DATABASE_URL ?? `sqlite:///${join(dataDir, 'robot.sqlite')}`,
    SERVICE_EXPORT_DIR: settings.SERVICE_EXPORT_DIR ?? join(dataDir, 'exports'),
    SERVICE_SKILLS_DIR: settings.SERVICE_SKILLS_DIR ?? join(dataDir, 'skills'),
    SERVICE_DESCRIPTION_DIR: settings.SERVICE_DESCRIPTION_DIR ?? join(dataDir, 'description'),
    SERVICE_LLM_CONFIG_PATH: settings.SERVICE_LLM_CONFIG_PATH ?? join(dataDir, 'llm_config.yaml'),
    SERVICE_ROBOT_MAPPING_PATH: settings.SERVICE_ROBOT_MAPPING_PATH ?? join(dataDir, 'rosbridge.yaml'),
    SERVICE_ROBOT_ID: settings.SERVICE_ROBOT_ID ?? robotIn(robotUrl) ?? hostname().slice(0, 64),
    fleet: robotUrl !== undefined && /^mqtts?:\/\/[^/]*\/?$/i.test(robotUrl),
    inCloud: environment.AWS_LAMBDA_FUNCTION_NAME !== undefined,
    secretsExtension: secretsExtension(environment),
    childEnvironment: Object.freeze(Object.fromEntries(childEnvironment) as Record<string, string>), // undefined values are absent keys
  });
}

/** The variables are AWS's own. */
function secretsExtension(environment: NodeJS.ProcessEnv): Config['secretsExtension'] {
  const { AWS_SESSION_TOKEN: token, PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: port = '2773' } = environment;
  return token === undefined ? undefined : { port: Number(port), token };
}

/** Where the audit trail is kept: what happens all day, and what must not be pushed out by it. */
export function auditPaths({ SERVICE_DATA_DIR }: Config): { readonly everyday: string; readonly lasting: string } {
  return { everyday: join(SERVICE_DATA_DIR, 'audit.jsonl'), lasting: join(SERVICE_DATA_DIR, 'audit-lasting.jsonl') };
}

/** The robot that an MQTT URL names behind its broker. */
function robotIn(url: string | undefined): string | undefined {
  return /^mqtts?:\/\/[^/]*\/([A-Za-z0-9_-]{1,64})$/i.exec(url ?? '')?.[1];
}
