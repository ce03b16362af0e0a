import * as z from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { type ErrorCode, PROBLEMS } from '../../functions/shared/errors.ts';
import type { EndpointSpec } from '../../functions/shared/pipeline/spec.ts';

const CODES = Object.keys(PROBLEMS) as ErrorCode[]; // as: the keys of the table are the codes
const CODE_DESCRIPTION = `stable; what a program decides by. New codes may be added: clients must accept codes that are not listed here. Known codes: ${CODES.map((code) => `\`${code}\``).join(', ')}`;

/** The body of every error. */
export const Problem = z
  .looseObject({
    type: z.string().meta({ example: 'urn:robot-rest:problem:token_expired' }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().describe('a sentence a person can act on'),
    code: z.string().describe(CODE_DESCRIPTION),
    request_id: z.string().describe('the log holds the cause under this id'),
    errors: z
      .array(
        z
          .object({
            pointer: z
              .string()
              .describe('JSON pointer into the body, or `query:NAME`, `path:NAME`, `header:NAME`')
              .meta({ example: '/value' }),
            message: z.string(),
          })
          .meta({ id: 'Fault' }),
      )
      .optional(),
  })
  .meta({ id: 'Problem', description: 'An error (RFC 9457). Endpoints may add members of their own.' });

/** An example of each problem, for the components of the document. */
export const PROBLEM_EXAMPLES = Object.fromEntries(
  CODES.map((code) => {
    const [status, title] = PROBLEMS[code];
    const value = {
      type: `urn:robot-rest:problem:${code}`,
      title,
      status,
      detail: `${title}.`,
      code,
      request_id: '0b9e8c1e-5f57-4a51-9d2f-5f0c2e6b8a11',
    };
    return [code, { summary: title, value }];
  }),
);

/** What a request can meet before the endpoint's own work begins. */
function pipelineCodes({
  access,
  perRobot,
  secretAnswer,
  input,
  bodyType,
  bodyStream,
  effects,
  anyQuery,
}: EndpointSpec): ErrorCode[] {
  const codes: ErrorCode[] = ['bad_request', 'uri_too_long', 'host_not_allowed', 'internal_error'];
  if (access === 'api-key') codes.push('missing_api_key', 'api_key_invalid', 'rate_limited');
  else if (access !== 'public') codes.push('missing_token', 'token_invalid', 'token_expired', 'key_revoked');
  // In a fleet: under the path of a robot, and with an API key that is limited to robots.
  if (!perRobot) codes.push('component_unavailable');
  if (!perRobot && access !== 'public') codes.push('insufficient_access');
  if (secretAnswer) codes.push('secure_channel_required');
  if (typeof access !== 'string' || effects) codes.push('insufficient_access');
  if (input?.body) {
    codes.push('unsupported_media_type', 'too_large', 'request_timeout');
    if (!bodyStream) codes.push(bodyType === 'multipart' ? 'malformed_multipart' : 'malformed_json');
  }
  if (input !== undefined || access !== 'public' || !anyQuery) codes.push('validation_failed');
  return codes;
}

/** The error responses of an endpoint, one for each status, with an example for each code. */
export function problemResponses(spec: EndpointSpec): ZodOpenApiResponsesObject {
  const codes = new Set([...pipelineCodes(spec), ...(spec.errors ?? [])]);
  const responses: Record<`${4 | 5}${string}`, ZodOpenApiResponseObject> = {};
  for (const code of CODES.filter((known) => codes.has(known))) {
    const status = `${PROBLEMS[code][0]}` as `4${string}`; // as: every status of the table is 400 or above
    const before = responses[status];
    const content = before?.content?.['application/problem+json'];
    responses[status] = {
      description: before ? `${before.description}, \`${code}\`` : `\`${code}\``,
      headers: headersOf(PROBLEMS[code][0], spec),
      content: {
        'application/problem+json': {
          schema: Problem,
          examples: { ...content?.examples, [code]: { $ref: `#/components/examples/${code}` } },
        },
      },
    };
  }
  return responses;
}

function headersOf(status: number, { access }: EndpointSpec) {
  const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });
  return {
    'X-Request-Id': reference('X-Request-Id'),
    ...(status === 401 && access !== 'public' ? { 'WWW-Authenticate': reference('WWW-Authenticate') } : {}),
    ...(status === 429 || status === 503 ? { 'Retry-After': reference('Retry-After') } : {}),
  };
}
