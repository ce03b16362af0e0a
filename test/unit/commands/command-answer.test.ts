import { describe, expect, it } from '@jest/globals';
import { answerOf } from '../../../functions/commands/command-answer.ts';
import { type CommandSpec, Declined, Unanswered } from '../../../functions/shared/adapters/robot-link/port.ts';

const spec = (marks: Partial<CommandSpec> = {}): CommandSpec => ({
  name: 'a',
  kind: 'none',
  title: 'A',
  effect: 'action',
  ...marks,
});

describe('Whether a robot does what it was told', () => {
  it.each(['called', 'accepted', 'set', 'started', 'awaited', 'cancelled', 'associated', 'success'])(
    'is no when its answer says %s: false',
    (verdict) => {
      const result = { [verdict]: false, msg: 'no' };
      expect(answerOf(spec(), result)).toEqual({ result, ok: false });
      expect(answerOf(spec(), { [verdict]: true })).toMatchObject({ ok: true });
    },
  );

  it.each([[null], [false], ['no'], [[{ success: false }]], [{ done: false }], [{ inner: { success: false } }]])(
    'is yes for %j, which says nothing of it',
    (result) => {
      expect(answerOf(spec(), result)).toEqual({ result, ok: true });
    },
  );

  it('is yes for a query that is answered, whatever the answer', () => {
    expect(answerOf(spec({ effect: 'query' }), { set: false })).toMatchObject({ ok: true });
  });

  it('is what a wait says, though it leaves the robot as it is', () => {
    expect(answerOf(spec({ effect: 'query', waits: true }), { awaited: false })).toMatchObject({ ok: false });
  });

  it('is no, with its reason, when the robot declines', () => {
    const answer = answerOf(spec(), new Declined({ torque: 0 }, 'The motors are off.'));
    expect(answer).toEqual({ result: { torque: 0 }, ok: false, declined: 'The motors are off.' });
  });

  it('is unknown when nothing answers', () => {
    expect(answerOf(spec(), new Unanswered({ sent: true }))).toEqual({ result: { sent: true }, ok: null });
  });
});
