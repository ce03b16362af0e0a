import { ConfigError } from '../../../config.ts';

/** Where a broker is and how to sign in there. */
export interface BrokerAddress {
  readonly tls: boolean;
  readonly host: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  /** The path of the URL: which robot. Absent: the URL names the broker alone. */
  readonly robotId?: string;
}

/** A robot's id in topics and in paths. */
export const ROBOT_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Reads `mqtt[s]://[user:pass@]broker[:port][/{robot_id}]`; the ports are 1883 and, with TLS, 8883.
 * @throws ConfigError that names the setting and repeats nothing of the value, which may hold a password.
 */
export function brokerAddress(text: string, setting: string): BrokerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const tls = url?.protocol === 'mqtts:';
  const robotId = url?.pathname.replace(/^\//, '') ?? '';
  const plain = url !== undefined && url.hostname !== '' && url.search === '' && url.hash === '';
  if (!plain || !(tls || url.protocol === 'mqtt:') || (robotId !== '' && !ROBOT_ID.test(robotId))) {
    throw new ConfigError(
      `${setting}: it should look like "mqtts://user:password@broker:8883/robot-id", where the id has 1 to 64 of A-Z a-z 0-9 _ -`,
    );
  }
  const username = unescaped(url.username, setting);
  const password = unescaped(url.password, setting);
  return {
    tls,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (tls ? 8883 : 1883) : Number(url.port),
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(robotId === '' ? {} : { robotId }),
  };
}

function unescaped(text: string, setting: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigError(`${setting}: the user or the password has a "%" that is not escaped as "%25"`);
  }
}
