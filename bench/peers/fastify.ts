/** Fastify with @fastify/jwt, its cache enabled, and schemas for request and response. */
import fastifyJwt from '@fastify/jwt';
import fastify from 'fastify';
import { BODY_SCHEMA, isDetected, keys, PORT, ready } from './work.ts';

const { publicPem, privatePem } = keys();
const app = fastify({ logger: false });
await app.register(fastifyJwt, {
  secret: { private: privatePem, public: publicPem },
  sign: { algorithm: 'ES256' },
  verify: { algorithms: ['ES256'], cache: true },
});
app.post(
  '/api/v1/str/',
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
            value: { type: 'string' },
            result: { type: 'boolean' },
          },
        },
      },
    },
  },
  async (request) => {
    const { command, value } = request.body as { command: string; value: string }; // as: the schema has checked it
    return { command, value, result: isDetected(value) };
  },
);
await app.listen({ port: PORT, host: '127.0.0.1' });
ready();
