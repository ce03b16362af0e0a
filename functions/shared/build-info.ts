declare const BUILD_VERSION: string | undefined;
declare const BUILD_DATE: string | undefined;

/** Whether this code runs from a bundle, with what travels with it beside it. */
export const BUNDLED = typeof BUILD_VERSION === 'string';

/** Version of the running code; the bundler writes it in, run from sources it is `dev`. */
export const VERSION = typeof BUILD_VERSION === 'string' ? BUILD_VERSION : 'dev';

/** Another text for each build; run from sources it is `dev`. */
export const BUILD = typeof BUILD_DATE === 'string' ? `${VERSION}+${BUILD_DATE.replace(/\D/g, '')}` : 'dev';

/**
 * When this code was built, in ms since the epoch. A clock that is earlier is certainly wrong: a robot without a
 * battery-backed clock starts in the past until it has found the time. Run from sources: when this line was written.
 */
export const BUILT_AT = Date.parse(typeof BUILD_DATE === 'string' ? BUILD_DATE : '2026-11-01T00:00:00Z');

/** Whether this is the service that deploy/install.sh has installed. */
const INSTALLED = import.meta.dirname.startsWith('/opt/robot-rest/');

/** How an operator runs a command of this service here, with these words: `api-key`, `create`. */
export function ownCommand(program: string, words = ''): string {
  const command = INSTALLED ? `sudo robot-rest-admin ${program}` : `npm run --silent ${program} --`;
  return words === '' ? command : `${command} ${words}`;
}
