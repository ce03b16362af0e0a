import { Reply } from '../shared/middleware/reply.ts';

/** The answer that carries a token: in the body, and in the Authorization header (specification, section 4.1). */
export function tokenReply(answer: { readonly token: string }): Reply {
  return Reply.json(answer, { authorization: `Bearer ${answer.token}`, 'cache-control': 'no-store' });
}
