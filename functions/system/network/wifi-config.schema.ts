import type * as z from 'zod';
import { credentialFaults, statedSecurity } from './credential-rules.ts';
import { WifiFields } from './wifi-fields.schema.ts';

/** What joins a network, with the rules that tie its fields together. */
export const WiFiConfig = WifiFields.superRefine((config, context) => {
  const security = statedSecurity(config);
  if (security === undefined) return;
  for (const { pointer, message } of credentialFaults(config, security)) {
    context.addIssue({ code: 'custom', path: [pointer.slice(1)], message });
  }
}).meta({ id: 'WiFiConfig', example: { ssid: 'Robot Lab', password: 'simulated', band: '5GHz' } });

export type WiFiConfig = z.output<typeof WiFiConfig>;
