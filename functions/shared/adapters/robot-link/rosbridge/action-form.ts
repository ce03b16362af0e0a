import type { JsonValue } from '../../../json.ts';
import type { Ending, Goal } from './goal.ts';

/** How actions are spoken in one generation of ROS. */
export interface ActionForm {
  /** This action will be used. */
  prepare(name: string, type: string): void;
  send(goal: Goal, type: string, args: JsonValue): void;
  /** The server looks at what it is sent, and would not keep it behind a goal. */
  readonly listening: boolean;
  whenListening(signal: AbortSignal): Promise<void>;
  /** Asks the robot to cancel one goal; it may do so later, or not at all. */
  cancel(goal: Goal): void;
  /**
   * Asks the robot to cancel every goal of an action, whoever sent it. How many it cancels, where the robot says so;
   * 'absent' when there is nobody who carries the action out.
   */
  cancelAll(name: string, signal: AbortSignal): Promise<number | 'absent' | undefined>;
  /** A message of the server that is about a goal. */
  received(message: { readonly [key: string]: JsonValue }): void;
  /** The robot tells of each goal all the time until it ends, to a new connection too. */
  readonly tellsAlways: boolean;
}

/** Where a form reports what the robot says of a goal. Ids that are not ours are ignored. */
export interface GoalReports {
  /** The robot knows of it, and has begun or not. */
  mentioned(id: JsonValue | undefined, begun: boolean): void;
  ended(id: JsonValue | undefined, ending: Ending): void;
}
