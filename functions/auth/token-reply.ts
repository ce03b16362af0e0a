import { Reply } from '../shared/pipeline/reply.ts';

/** A response with a token, in the body and in the Authorization header (specification, section 4.1). */
export function tokenReply(answer: { readonly token: string }): Reply {
  return Reply.json(answer, { authorization: `Bearer ${answer.token}`, 'cache-control': 'no-store' });
}
