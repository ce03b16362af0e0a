import { Readable } from 'node:stream';
import * as z from 'zod';

const Stream = z.custom<Readable>((body) => body instanceof Readable);

/** The body of an endpoint with `bodyStream`: read by the handler, or left to the client. */
export const ByteStream = Stream.meta({ override: { type: 'string', format: 'binary' } });

/** The same where the bytes are text, which generated clients take as a string. */
export const TextStream = Stream.meta({ override: { type: 'string' } });
