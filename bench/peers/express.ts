/** A typical Express setup: express.json, jose for tokens, zod for the body. */
import express from 'express';
import { jwtVerify } from 'jose';
import * as z from 'zod';
import { isDetected, keys, PORT, ready } from './work.ts';

const { publicKey } = keys();
const Body = z.strictObject({ command: z.string().min(1).max(128), value: z.string().max(16_384) });
const app = express();
app.use(async (request, response, next) => {
  try {
    await jwtVerify(request.headers.authorization?.slice(7) ?? '', publicKey, { algorithms: ['ES256'] });
    next();
  } catch {
    response.status(401).json({});
  }
});
app.use(express.json({ limit: '1mb' }));
app.post('/api/v1/str/', (request, response) => {
  const body = Body.safeParse(request.body);
  if (!body.success) return response.status(422).json({ errors: body.error.issues });
  const { command, value } = body.data;
  return response.json({ command, value, result: isDetected(value) });
});
app.listen(PORT, '127.0.0.1', ready);
