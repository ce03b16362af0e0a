import { describe, expect, it } from '@jest/globals';
import { toCommandAnswer } from '../../../functions/commands/command-answer.ts';
import { type CommandSpec, Declined, Replaced, Unanswered } from '../../../functions/shared/robot-link/port.ts';

const spec = (marks: Partial<CommandSpec> = {}): CommandSpec => ({
  name: 'a',
  kind: 'none',
  title: 'A',
  effect: 'action',
  ...marks,
});

describe('The success of a command', () => {
  it.each(['called', 'accepted', 'set', 'started', 'awaited', 'cancelled', 'associated', 'success'])(
    'is false when the answer has %s: false',
    (verdict) => {
      const result = { [verdict]: false, msg: 'no' };
      expect(toCommandAnswer(spec(), result)).toEqual({ result, ok: false });
      expect(toCommandAnswer(spec(), { [verdict]: true })).toMatchObject({ ok: true });
    },
  );

  it.each([[null], [false], ['no'], [[{ success: false }]], [{ done: false }], [{ inner: { success: false } }]])(
    'is true for %j, which reports no failure',
    (result) => {
      expect(toCommandAnswer(spec(), result)).toEqual({ result, ok: true });
    },
  );

  it('is true for every answered query', () => {
    expect(toCommandAnswer(spec({ effect: 'query' }), { set: false })).toMatchObject({ ok: true });
  });

  it('is what a wait reports', () => {
    expect(toCommandAnswer(spec({ effect: 'query', waits: true }), { awaited: false })).toMatchObject({ ok: false });
  });

  it('is false, with the reason, when the robot declines', () => {
    const answer = toCommandAnswer(spec(), new Declined({ torque: 0 }, 'The motors are off.'));
    expect(answer).toEqual({ result: { torque: 0 }, ok: false, declined: 'The motors are off.' });
  });

  it('is null when the robot gives no answer', () => {
    expect(toCommandAnswer(spec(), new Unanswered({ sent: true }))).toEqual({ result: { sent: true }, ok: null });
  });

  it('says that a drive has replaced another', () => {
    expect(toCommandAnswer(spec(), new Replaced({ called: true }))).toEqual({
      result: { called: true },
      ok: true,
      replaced: true,
    });
    expect(toCommandAnswer(spec(), new Replaced({ called: false }))).toMatchObject({ ok: false });
  });
});
