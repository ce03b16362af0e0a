import type { JsonObject, JsonValue } from '../../../kit/json.ts';
import type { Lane } from './connections.ts';
import type { Goal } from './goal.ts';

/** A cancelled goal that the robot has not reported for so long is gone; one that was not cancelled may still begin. */
export const SILENT_MS = 1_500;
/** How often a cancel is repeated. */
export const CANCEL_AGAIN_MS = 100;

/** What an action server answers to the order to cancel all: how many goals it cancels, where it says so. */
export type CancelAllAnswer = number | 'absent' | undefined;

/** How actions are spoken in one generation of ROS. */
export interface ActionForm {
  /** The connection on which the results of goals arrive. */
  readonly toldOver: Lane;
  /** This action will be used; without a type it is only ever cancelled. */
  prepare(name: string, type: string): void;
  /** Whether a server carries the action out; asks it, and takes silence as no. */
  isServed(name: string, signal: AbortSignal): Promise<boolean>;
  /** Sends a goal of a command that arrived then. @throws ServiceError what {@link Connections.sendCommand} throws. */
  send(goal: Goal, type: string, args: JsonValue, arrivedAt: number | undefined): void;
  /** Resolves when a server that says which goals it refuses would have said so of every goal sent before. */
  goalsTaken(signal: AbortSignal): Promise<void>;
  /** The server looks at what it is sent, and would not keep it behind a goal. */
  readonly listening: boolean;
  whenListening(signal: AbortSignal): Promise<void>;
  /** The goal behind which the server keeps everything that is sent at present, if there is one. */
  readonly busyWith: Goal | undefined;
  /** Asks the robot to cancel one goal; it may do so later, or not at all. */
  cancel(goal: Goal): void;
  /** Asks again, where that can help. */
  cancelAgain(goal: Goal): void;
  /**
   * Asks the robot to cancel every goal of an action, no matter who sent it; 'absent' when nobody carries the action
   * out.
   */
  cancelAll(name: string, signal: AbortSignal): Promise<CancelAllAnswer>;
  /**
   * Resolves when no cancelled goal of an action is under way any more, as far as the robot reports; repeats the cancel
   * as long as one is. 'absent' when nobody carries the action out.
   */
  allEnded(name: string, goals: readonly Goal[], signal: AbortSignal): Promise<'absent' | undefined>;
  /** A message of the server that is about a goal. */
  received(message: JsonObject): void;
  opened(lane: Lane): void;
  /** A stop comes: nothing that this has asked by itself keeps the server from looking at its calls. */
  makeWay(): void;
  close(): void;
}
