import type { LeaseRegister } from '../../../control/lease-register.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../kit/json.ts';
import { assertArguments } from '../../../runs/run-request.ts';
import type { Runs } from '../../../runs/runs.ts';
import type { RobotAnswer, RobotCommand, RobotLink, Sender, SendOptions, StopReport } from '../../port.ts';
import { NOT_FOUND, type Tracked } from '../mission-book.ts';
import { passThrough } from '../pass-through.ts';
import { plainAnswer } from './robot-skills.ts';
import { RunMissions, waitForEnd, waitForStart } from './run-missions.ts';
import { withSkillCommands } from './skill-commands.ts';
import { SkillSequence } from './skill-sequence.ts';
import { UploadedSkills } from './uploaded-skills.ts';

type Answer = RobotAnswer | Promise<RobotAnswer>;

const UNKNOWN_SKILL: JsonObject = { called: false, msg: 'Unknown skill' };

interface Parts {
  readonly runs: Runs;
  readonly clock: () => number;
  readonly leases: Pick<LeaseRegister, 'holding'> | undefined;
}

/**
 * A link whose commands on skills also know the uploaded ones, and on missions the runs. Everything else, and every
 * name that the robot knows itself, is the link's own. A stop also ends every run; it never waits for one.
 */
export function withRuns(link: RobotLink, { runs, clock, leases }: Parts): RobotLink {
  const skills = new UploadedSkills(link, runs, clock);
  const missions = new RunMissions(runs);
  const has = (name: string) => link.catalogue().has(name);

  function send(command: RobotCommand, options: SendOptions): Answer {
    const { value, sender } = command;
    switch (command.command) {
      case 'get_skills':
        return getSkills(command, options);
      case 'skill':
        return isJsonObject(value) ? skill(command, value, options) : link.send(command, options);
      case 'play_sequence':
        return Array.isArray(value) ? playSequence(command, value, options) : link.send(command, options);
      case 'wait_for_skill':
        return onMission(command, options, (mission) => waitForEnd(mission, options.signal), NOT_AWAITED);
      case 'wait_for_skill_started':
        return onMission(command, options, (mission) => waitForStart(mission, options.signal), NOT_STARTED);
      case 'cancel_skill':
        return onMission(command, options, (mission) => missions.cancel(mission), NOT_CANCELLED);
      case 'cancel_and_wait_for_mission':
        return onMission(command, options, (mission) => cancelAndWait(mission, options), NOT_CANCELLED);
      case 'cancel_client_missions':
        return cancelMine(command, sender, options);
      default:
        return link.send(command, options);
    }
  }

  async function getSkills(command: RobotCommand, options: SendOptions): Promise<RobotAnswer> {
    if (!has('get_skills')) return skills.list(undefined, options.signal);
    const answer = await link.send(command, options);
    const plain = plainAnswer(answer);
    return plain === undefined ? answer : skills.list(plain, options.signal);
  }

  async function skill(command: RobotCommand, value: JsonObject, options: SendOptions): Promise<RobotAnswer> {
    const since = runs.stops;
    const { name, ...args } = value;
    const found = typeof name === 'string' ? await skills.find(name, command, options) : undefined;
    if (!found) return has('skill') ? link.send(command, options) : UNKNOWN_SKILL;
    const request = { skill: found.skill, function: found.name, args, argsAt: 'value', since } as const;
    const run = await runs.start({ ...request, lease: leaseOf(command) }, command.sender, options.signal);
    return { called: true, msg: run.id };
  }

  async function playSequence(command: RobotCommand, names: JsonValue[], options: SendOptions): Promise<RobotAnswer> {
    const since = runs.stops;
    const steps = [];
    for (const name of names) {
      if (typeof name !== 'string') return link.send(command, options);
      const uploaded = await skills.find(name, command, options);
      steps.push({ name, ...(uploaded && { uploaded }) });
    }
    const uploaded = steps.flatMap((step) => step.uploaded ?? []);
    if (uploaded.length === 0 && has('play_sequence')) return link.send(command, options);
    if (steps.length === 0) return UNKNOWN_SKILL;
    for (const each of uploaded) assertArguments(each, {}, 'value');
    const own = await skills.robot.names(command.sender, options);
    if (steps.some((step) => !step.uploaded && !own.has(step.name))) return UNKNOWN_SKILL;
    const sequence = new SkillSequence({
      link,
      runs,
      clock,
      steps,
      since,
      command,
      lease: leaseOf(command),
    });
    missions.add(sequence);
    return { called: true, msg: sequence.id };
  }

  function onMission(
    command: RobotCommand,
    options: SendOptions,
    work: (mission: Tracked) => Answer,
    unknown: JsonObject,
  ): Answer {
    const mission = missions.find(command.value);
    if (mission) return work(mission);
    return has(command.command) ? link.send(command, options) : unknown;
  }

  async function cancelAndWait(mission: Tracked, { signal }: SendOptions): Promise<RobotAnswer> {
    const answer = missions.cancel(mission);
    await mission.over.wait(signal);
    return answer;
  }

  async function cancelMine(command: RobotCommand, { clientId }: Sender, options: SendOptions): Promise<RobotAnswer> {
    const count = missions.cancelAllOf(clientId);
    const answer = has(command.command) ? await link.send(command, options) : NONE_CANCELLED;
    const plain = plainAnswer(answer);
    if (count === 0 || !isJsonObject(plain)) return answer;
    const others = typeof plain.cancelled_missions === 'number' ? plain.cancelled_missions : 0;
    const total = others + count;
    return {
      ...plain,
      cancelled: true,
      cancelled_missions: total,
      msg: `${total} of this client's missions cancelled`,
    };
  }

  /** The lease for a run: the sender's own while it is fresh. Starting a run is no motion, so any other is ignored. */
  function leaseOf({ lease, sender }: RobotCommand): string | undefined {
    try {
      return lease === undefined ? undefined : leases?.holding(lease, sender.clientId).id;
    } catch {
      return undefined;
    }
  }

  function stop(options: SendOptions, sender?: Sender): StopReport | Promise<StopReport> {
    let ended: string[] = [];
    let answer: StopReport | Promise<StopReport>;
    try {
      answer = link.stop(options, sender); // first of all: it raises the fence
    } finally {
      ended = missions.stopAll();
    }
    if (ended.length === 0) return answer;
    const told = (report: StopReport): StopReport => ({ ...report, runs_stopped: ended });
    return answer instanceof Promise ? answer.then(told) : told(answer);
  }

  return { ...passThrough(link, { send, stop }), catalogue: () => withSkillCommands(link.catalogue()) };
}

const NOT_STARTED: JsonObject = { started: false, msg: NOT_FOUND };
const NOT_AWAITED: JsonObject = { awaited: false, start_result: NOT_STARTED, msg: NOT_FOUND };
const NOT_CANCELLED: JsonObject = { cancelled: false, msg: NOT_FOUND };
const NONE_CANCELLED: JsonObject = {
  cancelled: false,
  cancelled_missions: 0,
  msg: "0 of this client's missions cancelled",
};
