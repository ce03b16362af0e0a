import type { JsonValue } from '../../../kit/json.ts';
import type { RobotState } from './robot-state.ts';
import { humanInSight } from './surroundings.ts';

/** Battery voltage when empty, and the difference when full: seven lithium-ion cells in series. */
const EMPTY_VOLTS = 21;
const VOLTS_OF_CHARGE = 8.4;

/** Values of the simulated robot for the topics of the vendor's client. Its hands are empty. */
export const TOPICS: Readonly<Record<string, (robot: RobotState) => JsonValue | Promise<JsonValue>>> = {
  current_focus: ({ now }) => (humanInSight(now()) ? 'human' : 'none'),
  head_mode: ({ missions }) => missions.currentSteps().at(-1)?.name ?? 'idle',
  navigation_state: ({ body }) => (body.moving() ? 'moving' : 'idle'),
  left_hand_state: () => 'open',
  right_hand_state: () => 'open',
  max_velocity: ({ body }) => body.maxVelocityPercent,
  arms_collision: () => false,
  battery_voltage: ({ battery }) => Math.round((EMPTY_VOLTS + (VOLTS_OF_CHARGE * battery().level) / 100) * 100) / 100,
  runes: ({ runes }) =>
    runes.ask((near) =>
      near
        .details()
        .filter(({ rssi }) => rssi !== null)
        .map(({ id, rssi, angle_of_arrival }) => ({ id, rssi, angle_of_arrival })),
    ),
  rules: ({ runes }) =>
    runes.ask((near) => near.details().flatMap(({ id, command }) => (command === null ? [] : [{ rune: id, command }]))),
};
