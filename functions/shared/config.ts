import { homedir, hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { ALL_UNITS, type AllowedUnits, NO_UNITS } from './allowed-units.ts';
import { SETTINGS, type Settings } from './settings.ts';

/** The settings with every default filled in that depends on another setting. Frozen; made once at start. */
export interface Config extends Readonly<Settings> {
  readonly SERVICE_HOST: string;
  /** 0 picks a free one; undefined: none. */
  readonly eventsPort: number | undefined;
  /** The ports that serve stop alone; 0 picks a free one; undefined: none. */
  readonly stopPort: number | undefined;
  readonly stopTlsPort: number | undefined;
  /** The Unix socket that serves stop alone; empty: none. */
  readonly stopSocketPath: string;
  /** The service makes the certificate of its TLS listener, and SERVICE_TLS_CERT_PATH and _KEY_PATH are where it is kept. */
  readonly tlsSelfSigned: boolean;
  /** Who serves stop besides the service: a guard with its own link to the robot, or the service itself. */
  readonly stopServer: 'guard' | 'service' | undefined;
  readonly SERVICE_DATA_DIR: string;
  readonly SERVICE_ALLOWED_UNITS: AllowedUnits;
  readonly SERVICE_RESTARTABLE_UNITS: AllowedUnits;
  readonly SERVICE_JWT_SIGNING_KEY_PATH: string;
  readonly SERVICE_DATABASE_URL: string;
  readonly SERVICE_EXPORT_DIR: string;
  readonly SERVICE_SKILLS_DIR: string;
  readonly SERVICE_DESCRIPTION_DIR: string;
  readonly SERVICE_LLM_CONFIG_PATH: string;
  readonly SERVICE_ROBOT_MAPPING_PATH: string;
  readonly SERVICE_ROBOT_ID: string;
  readonly SERVICE_ROBOT_NAME: string;
  /** SERVICE_ROBOT_URL names a broker and no robot: the path says which robot is meant, `/{robot_id}/rest/…`. */
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

/** Settings that turn something off when they are empty. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['SERVICE_SOCKET_PATH', 'SERVICE_EVENTS_PORT', 'SERVICE_STOP_PORT']);

const SQLITE = 'sqlite:///';
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
    else if (value !== '' || MAY_BE_EMPTY.has(name)) given[name] = value;
  }
  const parsed = SETTINGS.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`These settings cannot be used. ${faults.join('; ')}`);
  }
  return { config: complete(parsed.data, environment), warnings };
}

/**
 * The configuration of this very process, for Lambda functions, which have no main; `instead` outranks its settings.
 */
export function processConfig(instead: Readonly<Record<string, string>> = {}): Config {
  return loadConfig({ ...process.env, ...instead }).config;
}

function complete(settings: Settings, environment: NodeJS.ProcessEnv): Config {
  const home = environment.HOME ?? homedir();
  const keeping = join(home, '.robot-rest');
  const dataDir = resolve(settings.SERVICE_DATA_DIR ?? keeping);
  const robotUrl = settings.SERVICE_ROBOT_URL ?? (settings.SERVICE_MODE === 'sim' ? 'sim:' : undefined);
  const id = settings.SERVICE_ROBOT_ID ?? robotIn(robotUrl) ?? hostname().slice(0, 64);
  const fleet = robotUrl !== undefined && /^mqtts?:\/\/[^/]*\/?$/i.test(robotUrl);
  const inCloud = environment.AWS_LAMBDA_FUNCTION_NAME !== undefined;
  const childEnvironment = Object.entries(environment).filter(([name]) => CHILD_ENVIRONMENT.test(name));
  return Object.freeze({
    ...settings,
    ...(robotUrl === undefined ? {} : { SERVICE_ROBOT_URL: robotUrl }),
    ...tlsFiles(settings, dataDir),
    SERVICE_ALLOWED_UNITS: settings.SERVICE_ALLOWED_UNITS ?? unitsOf(settings),
    SERVICE_RESTARTABLE_UNITS: settings.SERVICE_RESTARTABLE_UNITS ?? unitsOf(settings),
    SERVICE_HOST: settings.SERVICE_HOST ?? (settings.SERVICE_MODE === 'robot' ? '0.0.0.0' : '127.0.0.1'),
    eventsPort: eventsPort(settings),
    stopPort: stopPort(settings),
    stopTlsPort: settings.SERVICE_STOP_PORT === '' ? undefined : portAfter(settings.SERVICE_TLS_PORT, 2),
    stopSocketPath: stopSocketPath(settings),
    stopServer: fleet || inCloud ? undefined : stopServer(robotUrl),
    SERVICE_DATA_DIR: dataDir,
    SERVICE_JWT_SIGNING_KEY_PATH: settings.SERVICE_JWT_SIGNING_KEY_PATH ?? join(keeping, 'jwt-signing-key.pem'),
    SERVICE_DATABASE_URL: settings.SERVICE_DATABASE_URL ?? `${SQLITE}${join(dataDir, 'robot.sqlite')}`,
    SERVICE_EXPORT_DIR: settings.SERVICE_EXPORT_DIR ?? join(dataDir, 'exports'),
    SERVICE_SKILLS_DIR: settings.SERVICE_SKILLS_DIR ?? join(dataDir, 'skills'),
    SERVICE_DESCRIPTION_DIR: settings.SERVICE_DESCRIPTION_DIR ?? join(dataDir, 'description'),
    SERVICE_LLM_CONFIG_PATH: settings.SERVICE_LLM_CONFIG_PATH ?? join(dataDir, 'llm_config.yaml'),
    SERVICE_ROBOT_MAPPING_PATH: settings.SERVICE_ROBOT_MAPPING_PATH ?? join(dataDir, 'rosbridge.yaml'),
    SERVICE_ROBOT_ID: id,
    SERVICE_ROBOT_NAME: settings.SERVICE_ROBOT_NAME ?? id,
    fleet,
    inCloud,
    secretsExtension: secretsExtension(environment),
    childEnvironment: Object.freeze(Object.fromEntries(childEnvironment) as Record<string, string>), // undefined values are absent keys
  });
}

/** A certificate that an operator brought goes before one of our own. */
function tlsFiles(settings: Settings, dataDir: string): Pick<Config, 'tlsSelfSigned'> & Partial<Settings> {
  const { SERVICE_TLS_SELF_SIGNED, SERVICE_TLS_CERT_PATH, SERVICE_TLS_KEY_PATH } = settings;
  const brought = SERVICE_TLS_CERT_PATH !== undefined || SERVICE_TLS_KEY_PATH !== undefined;
  if (brought || !SERVICE_TLS_SELF_SIGNED) return { tlsSelfSigned: false };
  return {
    tlsSelfSigned: true,
    SERVICE_TLS_CERT_PATH: join(dataDir, 'tls-certificate.pem'),
    SERVICE_TLS_KEY_PATH: join(dataDir, 'tls-key.pem'),
  };
}

/** Simulated ones are nobody's secret. */
function unitsOf({ SERVICE_MODE }: Settings): AllowedUnits {
  return SERVICE_MODE === 'sim' ? ALL_UNITS : NO_UNITS;
}

function eventsPort({ SERVICE_EVENTS_PORT, SERVICE_PORT }: Settings): number | undefined {
  if (SERVICE_EVENTS_PORT === '') return undefined;
  if (SERVICE_EVENTS_PORT !== undefined) return SERVICE_EVENTS_PORT;
  return portAfter(SERVICE_PORT, 1);
}

function stopPort({ SERVICE_STOP_PORT, SERVICE_PORT }: Settings): number | undefined {
  if (SERVICE_STOP_PORT === '') return undefined;
  return SERVICE_STOP_PORT ?? portAfter(SERVICE_PORT, 2);
}

/** After one that is picked freely, one that is picked freely. */
function portAfter(port: number, distance: number): number | undefined {
  if (port === 0) return 0;
  return port + distance <= 65535 ? port + distance : undefined;
}

/** A guard that is a unit of its own has its socket in its own folder, which outlives the service. */
function stopSocketPath({ SERVICE_SOCKET_PATH, SERVICE_GUARD_DIR }: Settings): string {
  if (SERVICE_SOCKET_PATH === '') return '';
  return `${SERVICE_GUARD_DIR === undefined ? SERVICE_SOCKET_PATH : join(SERVICE_GUARD_DIR, basename(SERVICE_SOCKET_PATH))}.stop`;
}

function stopServer(robotUrl: string | undefined): Config['stopServer'] {
  if (robotUrl === undefined) return undefined;
  return /^(mqtts?|wss?):/i.test(robotUrl) ? 'guard' : 'service';
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

/** Absolute path of the file that SERVICE_DATABASE_URL names. */
export function databaseFile({ SERVICE_DATABASE_URL }: Config): string {
  return SERVICE_DATABASE_URL.slice(SQLITE.length);
}

/** The robot that an MQTT URL names behind its broker. */
function robotIn(url: string | undefined): string | undefined {
  return /^mqtts?:\/\/[^/]*\/([A-Za-z0-9_-]{1,64})$/i.exec(url ?? '')?.[1];
}
