/** MQTT 5 reason code: another client has joined under our id. */
export const TAKEN_OVER = 0x8e;

/** MQTT 5 reason codes of a refused sign-in: bad user name or password, not authorized, banned. */
const REFUSED = new Set<unknown>([0x86, 0x87, 0x8a]);

/** What ended a connection: its code for the log, and a sentence that may be shown; neither holds the address. */
export function describeFailure(failure: Error | undefined, setting: string): { code: unknown; sentence: string } {
  const code = failure !== undefined && 'code' in failure ? failure.code : undefined;
  if (REFUSED.has(code)) return { code, sentence: `The MQTT broker refused the user or password in ${setting}.` };
  if (code === TAKEN_OVER) return { code, sentence: 'Another client has joined the MQTT broker under the same id.' };
  return { code, sentence: 'The connection to the MQTT broker is down; it is made again by itself.' };
}
