/** Fastify with @fastify/jwt, its cache on, and a schema in and out. */
import fastifyJwt from '@fastify/jwt';
import fastify from 'fastify';
import { BODY_SCHEMA, keys, PORT, ready, runSoundLevel } from './work.ts';

const { publicPem, privatePem } = keys();
const app = fastify({ logger: false });
await app.register(fastifyJwt, {
  secret: { private: privatePem, public: publicPem },
  sign: { algorithm: 'ES256' },
  verify: { algorithms: ['ES256'], cache: true },
});
app.post(
  '/api/v1/int/',
  {
    onRequest: async (request) => {
      await request.jwtVerify();
    },
    schema: {
      body: BODY_SCHEMA,
      response: {
        200: {
          type: 'object',
          properties: {
            command: { type: 'string' },
            value: { type: 'integer' },
            result: { type: 'object', properties: { sound_level: { type: 'integer' } } },
          },
        },
      },
    },
  },
  async (request) => {
    const { command, value } = request.body as { command: string; value: number }; // as: the schema has checked it
    return { command, value, result: runSoundLevel(value) };
  },
);
await app.listen({ port: PORT, host: '127.0.0.1' });
ready();
