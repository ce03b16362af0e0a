import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { freePort } from '../support/free-port.ts';
import { connectThrough, faultyIn, linkCheck, passwordFile } from '../support/link-check.ts';
import { MOSQUITTO } from '../support/mosquitto.ts';
import { CLIENT } from '../support/python-client.ts';
import { broker, start, useBroker } from '../support/python-example.ts';
import { ROBOTS } from '../support/python-robot.ts';

const { python } = ROBOTS['the package robot_rest.robot'];
const FAULTY = { python, file: join(CLIENT, 'tests/faulty_robot.py') };

describeWith('mosquitto', MOSQUITTO, 'The check of a robot over its link', () => {
  useBroker();

  describeWith('paho-mqtt 2', python, 'finds', () => {
    it.each([
      ['an entry that is none', 'catalogue_entry_of_no_kind', 'presence', []],
      ['answers of another type than the catalogue says', 'answers_of_another_type', 'answers', []],
      ['late commands that run', 'runs_late_commands', 'late', []],
      ['commands from a clock ahead that run', 'runs_commands_of_the_future', 'clock', []],
      ['repeated messages that run again', 'runs_repeated_messages', 'repeated', []],
      ['a program that ends at what it cannot parse', 'ends_at_what_it_cannot_parse', 'garbage', []],
      ['a stop that is confirmed at once', 'confirms_a_stop_at_once', 'stop,stop-busy', []],
      ['stops that are queued behind commands', 'queues_stops_behind_commands', 'stop-busy', []],
      ['numbers that are not compared', 'does_not_compare_numbers', 'fence', []],
      ['a drive that does not say that it replaced another', 'does_not_say_that_it_replaced', 'replaced', []],
      ['waits in the way of a query', 'waits_in_the_way_of_queries', 'waits', []],
      ['a robot that drives on when the frames cease', 'goes_on_when_frames_cease', 'jog', []],
    ])('%s', async (_what, fault, checks) => {
      await start(FAULTY, { ROBOT_FAULT: fault });
      const { code, stdout, stderr } = await linkCheck(broker, ['--yes', '--only', checks]);
      expect([faultyIn(stdout), code, stderr]).toEqual([checks.split(','), 1, '']);
    });

    it('a stop that is confirmed while something else drives the robot', async () => {
      await start(FAULTY, { ROBOT_FAULT: 'confirms_a_stop_although_driven', ROBOT_PUSHED_MPS: '0.2' });
      const { code, stdout } = await linkCheck(broker, ['--yes', '--driven', '--only', 'stop-driven']);
      expect([faultyIn(stdout), code]).toEqual([['stop-driven'], 1]);
    });

    it('a robot that drives on when its link hangs', async () => {
      const port = await freePort();
      const checking = linkCheck(broker, ['--yes', '--listen', String(port), '--only', 'link-cut']);
      await connectThrough(FAULTY, port, { ROBOT_FAULT: 'goes_on_when_its_link_hangs' });
      const { code, stdout } = await checking;
      expect([faultyIn(stdout), code]).toEqual([['link-cut'], 1]);
    });

    it('a robot that fights another program for its id', async () => {
      await start(FAULTY, { ROBOT_FAULT: 'takes_its_id_back' });
      const password = ['--robot-password-file', passwordFile(broker)];
      const { code, stdout } = await linkCheck(broker, ['--yes', ...password, '--only', 'second-program']);
      expect([faultyIn(stdout), code]).toEqual([['second-program'], 1]);
    });
  });
});
