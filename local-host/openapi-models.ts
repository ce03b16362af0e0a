import type * as z from 'zod';
import { AllowedPortCfg, FirewallPortEntry } from '../functions/system/access-models/firewall.schema.ts';
import { SSHKeyCreate, SSHKeyEntry } from '../functions/system/access-models/ssh-key.schema.ts';

/** Models of the specification that no endpoint carries; the document lists them among its schemas. */
export const STANDALONE_MODELS: Readonly<Record<string, z.ZodType>> = {
  FirewallPortEntry,
  AllowedPortCfg,
  SSHKeyCreate,
  SSHKeyEntry,
};
