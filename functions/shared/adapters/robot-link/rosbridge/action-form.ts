import type { JsonObject, JsonValue } from '../../../json.ts';
import type { Lane } from './connections.ts';
import type { Goal } from './goal.ts';

/** A goal of which the robot has not spoken for so long is not there, once it was told to end; before, it may still begin. */
export const SILENT_MS = 1_500;
/** How often what must end is told so. */
export const CANCEL_AGAIN_MS = 100;

/** What an action server answers to the order to cancel all: how many goals it cancels, where it says so. */
export type CancelAllAnswer = number | 'absent' | undefined;

/** How actions are spoken in one generation of ROS. */
export interface ActionForm {
  /** The connection over which it is told how goals ended. */
  readonly toldOver: Lane;
  /** This action will be used; without a type it is only ever cancelled. */
  prepare(name: string, type: string): void;
  /** Sends a goal of a command that arrived then. @throws ServiceError what {@link Connections.sendCommand} throws. */
  send(goal: Goal, type: string, args: JsonValue, arrivedAt: number | undefined): void;
  /** The server looks at what it is sent, and would not keep it behind a goal. */
  readonly listening: boolean;
  whenListening(signal: AbortSignal): Promise<void>;
  /** The goal behind which the server keeps everything that is sent at present, if there is one. */
  readonly busyWith: Goal | undefined;
  /** Asks the robot to cancel one goal; it may do so later, or not at all. */
  cancel(goal: Goal): void;
  /** Asks again, where that can help. */
  cancelAgain(goal: Goal): void;
  /** Asks the robot to cancel every goal of an action, whoever sent it; 'absent' when nobody carries the action out. */
  cancelAll(name: string, signal: AbortSignal): Promise<CancelAllAnswer>;
  /**
   * Resolves when nothing of an action is under way any more that was cancelled, as far as the robot tells; tells it
   * again as long as something is. 'absent' when nobody carries the action out.
   */
  allEnded(name: string, goals: readonly Goal[], signal: AbortSignal): Promise<'absent' | undefined>;
  /** A message of the server that is about a goal. */
  received(message: JsonObject): void;
  opened(lane: Lane): void;
  /** A stop comes: nothing that this has asked by itself keeps the server from looking at its calls. */
  makeWay(): void;
  close(): void;
}
