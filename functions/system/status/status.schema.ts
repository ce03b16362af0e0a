import * as z from 'zod';
import { ESTOP_STATES } from '../../shared/events/data.schema.ts';
import { SIMULATED_PARTS } from '../../shared/simulated-parts.ts';

export const StopAddresses = z
  .object({
    port: z.int().min(1).max(65535).nullable().describe('on the address under which the service is reached'),
    tls_port: z.int().min(1).max(65535).nullable().describe('the same over TLS, with the certificate of the service'),
    socket: z.string().nullable().describe('path of a Unix socket'),
  })
  .meta({ id: 'StopAddresses' });
export type StopAddresses = Readonly<z.infer<typeof StopAddresses>>;

export const Status = z
  .object({
    status: z.literal('ok'),
    version: z.string().meta({ example: '1.0.0' }),
    build: z
      .string()
      .describe('another text for each build of the service')
      .meta({ example: '1.0.0+20270301120000000' }),
    robot_id: z.string().meta({ example: 'robot-1' }),
    name: z.string().describe('of the robot, for people (SERVICE_ROBOT_NAME)').meta({ example: 'Robot 1' }),
    mode: z.enum(['sim', 'robot']),
    robot: z
      .enum(['connected', 'disconnected', 'unknown'])
      .describe('`unknown` only for a robot of a fleet, to callers without a token for it'),
    robot_link: z
      .string()
      .describe(
        'how the robot is reached; `simulated` moves no real machine; at the host of a `fleet`, `robot` is the connection to their broker',
      )
      .meta({ example: 'simulated' }),
    robot_problem: z.string().optional().describe('why the robot must not be used although it is connected'),
    robot_notes: z.array(z.string()).optional().describe('what the operator of the robot should know'),
    estop: z.enum(ESTOP_STATES).optional().describe('the emergency stop of the robot; absent where it reports none'),
    simulated: z
      .array(z.enum(SIMULATED_PARTS))
      .describe('simulated parts: their data is invented')
      .meta({ example: ['robot', 'audio', 'services', 'wifi'] }),
    disk: z
      .object({
        free_bytes: z.int().min(0),
        total_bytes: z.int().min(0),
        ok: z.boolean().describe('false: a disk of the service takes no more data (507)'),
      })
      .meta({ id: 'DiskUsage' })
      .optional()
      .describe('the disk with the data of this service; not where the path names a robot of a fleet'),
    clock: z
      .object({
        time: z.iso.datetime(),
        ok: z.boolean().describe('false: earlier than the day this service was built'),
      })
      .meta({ id: 'ServiceClock', description: 'of the machine that answers' }),
    stop: StopAddresses.nullable()
      .optional()
      .describe(
        'where `POST /api/v2/stop` is served besides, by a process of its own if the robot is real; send stop to both and count the first confirmation. null: nowhere',
      ),
    uptime_seconds: z.number().min(0),
  })
  .meta({ id: 'ServiceStatus' });

export type Status = z.infer<typeof Status>;
