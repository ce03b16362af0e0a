/** Controls a robot that runs Robot REST, from browsers and Node. See the README. */
export {
  AccessError,
  AuthError,
  Busy,
  type CommandRan,
  Declined,
  type Fault,
  LeaseHeld,
  LeaseLost,
  RobotRestError,
  Stopped,
  Unavailable,
  ValidationFailed,
} from './errors.ts';
export type { EventOptions, Gap, HappenedEvent, Interruption, RobotEvent, Snapshot } from './events.ts';
export type { Jog, JogOptions, Velocity } from './jog.ts';
export type { Lease, LeaseOptions } from './lease.ts';
export type { Mission, Result } from './missions.ts';
export type { components, operations, paths } from './openapi.ts';
export { type Command, type ConnectOptions, connect, type Robot } from './robot.ts';
export type { WebSocketConstructor, WebSocketLike } from './service-socket.ts';
export type { Stop, StopOptions } from './stop.ts';
export type { Row, Skills, Table, Tables } from './tables.ts';
export type { AccessLevel, Token } from './token.ts';
