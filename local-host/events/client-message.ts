import { ServiceError } from '../../functions/shared/errors.ts';
import { ClientMessage } from '../../functions/shared/events/messages.schema.ts';
import { messagesFor } from '../../functions/shared/pipeline/issue-messages.ts';
import { faultsOf } from '../../functions/shared/pipeline/parse-input.ts';

/** Maximum number of problems to list in an error. */
const MAX_FAULTS = 5;

/** @throws ServiceError `bad_request` for a binary frame, `malformed_json`, `validation_failed`. */
export function readClientMessage(data: Buffer, isBinary: boolean): ClientMessage {
  if (isBinary) throw new ServiceError('bad_request', { detail: 'Send JSON in text frames; this frame was binary.' });
  const parsed = ClientMessage.safeParse(parse(data.toString('utf8')), messagesFor('message'));
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) => faultsOf('message', issue)).slice(0, MAX_FAULTS);
  throw new ServiceError('validation_failed', {
    detail: `${faults.map(({ message }) => message).join(' ')} GET /asyncapi.json describes the messages.`,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError('malformed_json', {
      detail: 'The message is not JSON. Send one JSON object in each text frame.',
      cause: error,
    });
  }
}
