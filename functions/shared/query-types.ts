import * as z from 'zod';
import { documentedAs } from './documented.ts';

const TRUE = ['true', 'True', '1'] as const;
const FALSE = ['false', 'False', '0'] as const;

interface QueryMeta {
  readonly description: string;
  readonly example?: boolean | number;
}

/** A boolean in a query, as JSON, Python and shells write it. */
export function queryBoolean(meta: QueryMeta) {
  return booleanText.optional().meta({ ...meta, ...documentedAs({ type: 'boolean' }) });
}

/** A boolean in a query that is false when absent. */
export function queryFlag(meta: QueryMeta) {
  return booleanText.default(false).meta({ ...meta, ...documentedAs({ type: 'boolean', default: false }) });
}

const booleanText = z
  .enum([...TRUE, ...FALSE], { error: 'Must be true or false.' })
  .transform((text) => TRUE.some((known) => known === text));

interface Range {
  readonly minimum: number;
  readonly maximum: number;
}

/** A whole number in a query, in digits alone: 0x10 and 1e1, which `Number` reads as well, are typing errors. */
export function queryInteger({ minimum, maximum, ...meta }: QueryMeta & Range) {
  return digits({ minimum, maximum })
    .optional()
    .meta({ ...meta, ...documentedAs({ type: 'integer', minimum, maximum }) });
}

/** As {@link queryInteger}, with a value for when it is absent. */
export function queryIntegerOr(fallback: number, { minimum, maximum, ...meta }: QueryMeta & Range) {
  return digits({ minimum, maximum })
    .default(fallback)
    .meta({ ...meta, ...documentedAs({ type: 'integer', minimum, maximum, default: fallback }) });
}

function digits({ minimum, maximum }: Range) {
  const message = `Must be a whole number from ${minimum} to ${maximum}, in digits alone.`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, message);
}
