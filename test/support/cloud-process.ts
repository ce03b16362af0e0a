/**
 * A function in the cloud as a process of its own, which a test may freeze: each line on stdin is a token, the answer to
 * `get_language` of the robot of SERVICE_ROBOT_URL goes to stdout as `<status> <code or result>`.
 */
import { createInterface } from 'node:readline';
import { handler } from '../../functions/commands/get-command.handler.ts';
import { completeEvent } from '../../scripts/lambda-event.ts';
import { runAsLambda } from '../../scripts/run-as-lambda.ts';

for await (const token of createInterface({ input: process.stdin })) {
  const headers = { authorization: `Bearer ${token}` };
  const event = completeEvent({ path: '/rest/api/v1/get/get_language', params: { command: 'get_language' }, headers });
  const { statusCode, body } = await runAsLambda(handler, event);
  const { code, result } = JSON.parse(body) as { code?: string; result?: string };
  process.stdout.write(`${statusCode} ${code ?? result}\n`);
}
process.exit(0);
