import { Counter, Gauge, type Registry } from 'prom-client';
import { JOG_ENDS, JOG_FRAMES, MOTION_REFUSALS, type RobotMetrics } from '../../metrics.port.ts';
import { labelledCounter } from './tally.ts';

/**
 * The counters about robots. Each starts at 0 with every label that it can have: an alert on an increase misses the
 * first one of a series that was not there before.
 */
export function createRobotMetrics(registry: Registry): RobotMetrics {
  const registers = [registry];
  const lossStops = new Counter({
    name: 'relay_link_loss_stops_total',
    help: 'Times that the relay stopped its robot since its broker was gone.',
    registers,
  });
  const calls = new Gauge({
    name: 'robot_calls_under_way',
    help: 'Commands and stops that wait for the answer of a robot.',
    registers,
  });
  return {
    robotStop: labelledCounter(registry, 'robot_stops_total', 'Stops sent to robots, by outcome.', 'outcome', [
      'confirmed',
      'not_confirmed',
      'not_delivered',
    ]),
    motionRefusal: labelledCounter(
      registry,
      'robot_motion_refused_total',
      'Motion refused: it arrived before a stop, no number of the fence could be kept, an emergency stop, or not under the lease.',
      'code',
      MOTION_REFUSALS,
    ),
    jogFrame: labelledCounter(
      registry,
      'jog_frames_total',
      'Frames of jogs, by what became of them.',
      'fate',
      JOG_FRAMES,
    ),
    jogEnd: labelledCounter(registry, 'jog_ends_total', 'Jogs that have ended, by what ended them.', 'why', JOG_ENDS),
    robotIdConflict: labelledCounter(
      registry,
      'robot_id_conflicts_total',
      'Times that two programs were found to use one robot id, by who noticed.',
      'seen_by',
      ['service', 'relay'],
    ),
    presenceFaults: labelledCounter(
      registry,
      'robot_presence_faults_total',
      'Presence messages refused as a whole, and catalogue entries left out.',
      'part',
      ['message', 'entry'],
    ),
    linkLost: labelledCounter(
      registry,
      'robot_link_losses_total',
      'Connections lost that had been up, by link.',
      'link',
      ['mqtt', 'rosbridge', 'relay'],
    ),
    linkLossStop: () => lossStops.inc(),
    clockRefusal: labelledCounter(
      registry,
      'robot_clock_refusals_total',
      'Commands refused at a robot by their times.',
      'reason',
      ['from_the_future', 'late'],
    ),
    robotCalls: (change) => calls.inc(change),
  };
}
