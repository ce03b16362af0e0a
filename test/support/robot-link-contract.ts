import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../functions/shared/kit/json.ts';
import { argsSchema } from '../../functions/shared/robot-link/command-args.ts';
import { DOCUMENTED_RESULTS } from '../../functions/shared/robot-link/documented-results.ts';
import {
  Replaced,
  type RobotAnswer,
  type RobotCommand,
  type RobotLink,
  type SendOptions,
} from '../../functions/shared/robot-link/port.ts';
import { refusal } from './errors.ts';
import { plain } from './robot.ts';

type Asked = Pick<RobotCommand, 'command' | 'value'>;

/** A link with a robot at its other end, and what a test may do to that robot. */
export interface LinkUnderTest {
  readonly link: RobotLink;
  /** A question and the robot's answer. */
  readonly question: Asked;
  readonly answer: JsonValue;
  /** An order that tells apart who gave it: the answer must belong to the number (0 to 99). */
  readonly numbered: (n: number) => Asked & { readonly answer: JsonValue };
  /** A command that is not answered before something else happens, `stop` at the latest. */
  readonly waiting: (send: (asked: Asked) => Promise<RobotAnswer>) => Promise<Asked>;
  /** More commands that every robot answers alike. */
  readonly others?: readonly Asked[];
  /** How many commands have reached the robot, stop apart. */
  readonly reached?: () => number;
  /** Takes the robot away, and brings it back. */
  readonly cut: () => Promise<void>;
  readonly mend: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Takes the robot long. */
const DRIVE: Asked = { command: 'go_to_absolute', value: { x: 9, y: 0, z: 0, theta: 0 } };
const SENDER = { clientId: 'alice', accessLevel: 'USER', keyId: 'key-1' } as const;

/** What every link promises, whatever is behind it. */
export function robotLinkContract(name: string, open: () => Promise<LinkUnderTest>): void {
  describe(`The robot link: ${name}`, () => {
    let world: LinkUnderTest;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.end());

    const options = (given: Partial<SendOptions> = {}): SendOptions => ({
      deadline: Date.now() + 10_000,
      signal: new AbortController().signal,
      ...given,
    });
    const send = async ({ command, value }: Asked, given: Partial<SendOptions> = {}): Promise<RobotAnswer> => {
      const asked = value === undefined ? { command, sender: SENDER } : { command, value, sender: SENDER };
      return world.link.send(asked, options(given));
    };

    it('is connected and lists what the robot knows', () => {
      expect(world.link.connected()).toBe(true);
      const catalogue = world.link.catalogue();
      expect(catalogue.get(world.question.command)).toMatchObject({ name: world.question.command });
      expect([...catalogue].filter(([key, { name: own }]) => key !== own)).toEqual([]);
    });

    it('brings a question to the robot and its answer back', async () => {
      expect(await send(world.question)).toEqual(world.answer);
    });

    it('answers as its catalogue documents, and documents common commands as every link does', async () => {
      for (const asked of [world.question, world.numbered(7), DRIVE, ...(world.others ?? [])]) {
        const { result } = world.link.catalogue().get(asked.command) ?? {};
        expect([asked.command, result]).toEqual([asked.command, expect.any(Object)]);
        const known = DOCUMENTED_RESULTS[asked.command];
        const answer = plain(await send(asked));
        for (const schema of [result, known?.result]) {
          expect([asked.command, schema && argsSchema(schema).safeParse(answer).error]).toEqual([
            asked.command,
            undefined,
          ]);
        }
      }
    });

    it('cancels the drive under way for a new one, and says so', async () => {
      const first = plain(await send(DRIVE)) as { readonly msg: string }; // as: how drives are called
      const waiting = send({ command: 'wait_for_skill', value: first.msg });
      const second = await send(DRIVE);
      expect(second).toBeInstanceOf(Replaced);
      expect(plain(second)).toMatchObject({ called: true, msg: expect.any(String) });
      expect(plain(await waiting)).toMatchObject({ awaited: false, msg: 'Mission cancelled' });
      expect(await world.link.stop(options())).toMatchObject({ stopped: true });
    });

    it('gives each of many askers at once the answer that is theirs', async () => {
      const orders = Array.from({ length: 200 }, (_, n) => world.numbered(n % 100));
      const answers = await Promise.all(orders.map((order) => send(order)));
      expect(answers).toEqual(orders.map(({ answer }) => answer));
    });

    it('does not begin what is too late', async () => {
      const before = world.reached?.();
      expect(await refusal(() => send(world.numbered(7), { deadline: Date.now() - 1 }))).toMatchObject({
        code: 'robot_timeout',
      });
      expect(world.reached?.()).toBe(before);
    });

    it('refuses a command that the robot does not know', async () => {
      const { code } = await refusal(() => send({ command: 'no_such_command' }));
      expect(['robot_error', 'unknown_command']).toContain(code);
    });

    it('stops at once while another command waits', async () => {
      const waiting = send(await world.waiting(send)).then(
        () => 'ended',
        () => 'ended',
      );
      expect(await world.link.stop(options())).toMatchObject({ stopped: true });
      expect(await waiting).toBe('ended');
    });

    it('forgets a caller who no longer waits', async () => {
      const asked = await world.waiting(send);
      const caller = new AbortController();
      const waiting = send(asked, { signal: caller.signal });
      const reason = new Error('gone home');
      caller.abort(reason);
      await expect(waiting).rejects.toBe(reason);
      expect(await world.link.stop(options())).toMatchObject({ stopped: true });
    });

    it('says at once that there is no robot, sends everybody away who waits, and comes back by itself', async () => {
      const waiting = refusal(() => world.waiting(send).then((asked) => send(asked)));
      await send(world.question);
      await world.cut();
      expect((await waiting).code).toBe('robot_unavailable');
      expect(world.link.connected()).toBe(false);
      expect(await refusal(() => send(world.question))).toMatchObject({ code: 'robot_unavailable' });
      expect(await refusal(async () => world.link.stop(options()))).toMatchObject({ code: 'robot_unavailable' });
      await world.mend();
      expect(world.link.connected()).toBe(true);
      expect(await send(world.question)).toEqual(world.answer);
    });

    it('is no link any more once it is closed', async () => {
      await world.link.close();
      expect(world.link.connected()).toBe(false);
      expect(await refusal(() => send(world.question))).toMatchObject({ code: 'robot_unavailable' });
    });
  });
}
