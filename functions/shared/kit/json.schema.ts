import * as z from 'zod';
import type { JsonValue } from './json.ts';

/** Any JSON value. It is not looked at again: what is parsed by schemas here came out of JSON text. */
export const Json = z.unknown() as unknown as z.ZodType<JsonValue>; // as: see above
