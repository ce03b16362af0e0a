import * as z from 'zod';
import { SIMULATED_PARTS } from '../../shared/simulated-parts.ts';

export const Status = z
  .object({
    status: z.literal('ok'),
    version: z.string().meta({ example: '1.0.0' }),
    mode: z.enum(['sim', 'robot']),
    robot: z.enum(['connected', 'disconnected']),
    robot_link: z
      .string()
      .describe('how the robot is reached; `simulated` moves no real machine')
      .meta({ example: 'simulated' }),
    robot_problem: z.string().optional().describe('why the robot must not be used though it is connected'),
    robot_notes: z.array(z.string()).optional().describe('what whoever looks after the robot should know'),
    simulated: z
      .array(z.enum(SIMULATED_PARTS))
      .describe('parts that are simulated: what they answer is made up')
      .meta({ example: ['robot', 'audio', 'services', 'wifi'] }),
    uptime_seconds: z.number().min(0),
  })
  .meta({ id: 'Status' });
