import { Readable } from 'node:stream';
import * as z from 'zod';

/** The body of an endpoint with `bodyStream`: read by the handler, or left to the client. */
export const ByteStream = z
  .custom<Readable>((body) => body instanceof Readable)
  .meta({ override: { type: 'string', format: 'binary' } });
