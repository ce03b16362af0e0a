import type { z } from 'zod';

/** Models of the specification that no endpoint carries; the document lists them among its schemas. */
export const STANDALONE_MODELS: Readonly<Record<string, z.ZodType>> = {};
