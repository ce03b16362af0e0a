import * as z from 'zod';
import type { Config } from './config.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Marks what belongs to the machine of this service where the robot is another one. */
export const OfHost = z
  .literal('host')
  .optional()
  .describe('`host`: of the machine that this service runs on, which is not the robot; absent: of the robot');

/** `{of: 'host'}` where the robot is reached over a network, so that the files and devices here are not the robot's. */
export function ofHost({ SERVICE_ROBOT_URL: url = '' }: Config): { of?: 'host' } {
  const scheme = url.slice(0, url.indexOf(':')).toLowerCase();
  if (scheme === 'mqtt' || scheme === 'mqtts') return { of: 'host' };
  if (scheme !== 'ws' && scheme !== 'wss') return {};
  return LOOPBACK.test(new URL(url).hostname) ? {} : { of: 'host' };
}
