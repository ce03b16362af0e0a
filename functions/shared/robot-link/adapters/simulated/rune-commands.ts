import type { JsonObject } from '../../../kit/json.ts';
import { action, type CommandRow, query } from './command-row.ts';
import type { RobotState } from './robot-state.ts';

/** The runes: radio beacons with a button. */
export const RUNE_COMMANDS: readonly CommandRow[] = [
  query('none', 'get_all_runes_details', 'Every rune with its state', ({ runes }) =>
    runes.ask((near) => near.details()),
  ),
  query('none', 'get_detected_runes', 'Runes within radio range', ({ runes }) => runes.ask((near) => near.detected())),
  query('none', 'get_clicked_runes', 'Runes that are clicked', ({ runes }) =>
    runes.ask((near) => near.pressed('clicked')),
  ),
  query('none', 'get_double_clicked_runes', 'Runes that are double-clicked', ({ runes }) =>
    runes.ask((near) => near.pressed('double_clicked')),
  ),
  query('none', 'get_long_pressed_runes', 'Runes that are pressed long', ({ runes }) =>
    runes.ask((near) => near.pressed('long_pressed')),
  ),
  query('str', 'is_detected', 'Whether a rune is within radio range', ({ runes }, id) =>
    runes.ask((near) => near.detected().includes(id)),
  ),
  query('str', 'is_clicked', 'Whether a rune is clicked', ({ runes }, id) =>
    runes.ask((near) => near.pressed('clicked').includes(id)),
  ),
  query('str', 'is_double_clicked', 'Whether a rune is double-clicked', ({ runes }, id) =>
    runes.ask((near) => near.pressed('double_clicked').includes(id)),
  ),
  query('str', 'is_long_pressed', 'Whether a rune is pressed long', ({ runes }, id) =>
    runes.ask((near) => near.pressed('long_pressed').includes(id)),
  ),
  query('str', 'get_rune_rssi', 'Signal strength of a rune in dBm, null out of range', ({ runes }, id) =>
    runes.ask((near) => near.rssi(id)),
  ),
  query('str', 'get_rune_angle_of_arrival', 'Direction of a rune in degrees, null out of range', ({ runes }, id) =>
    runes.ask((near) => near.angleOfArrival(id)),
  ),
  action('dict', 'rune_association', 'Let a press of a rune run a command: {rune, command}', associate),
];

const MAX_COMMAND_LENGTH = 128;

function associate({ runes }: RobotState, { rune, command }: JsonObject) {
  if (typeof rune !== 'string' || typeof command !== 'string' || command.length > MAX_COMMAND_LENGTH) {
    return { associated: false, msg: 'An association needs a rune and a command, both strings' };
  }
  return runes.ask((near) => {
    const associated = near.associate(rune, command);
    return { associated, msg: associated ? 'Rune associated' : 'Rune not found' };
  });
}
