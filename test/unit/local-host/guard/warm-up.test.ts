import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../../../functions/shared/config.ts';
import { warmUp } from '../../../../local-host/guard/warm-up.ts';
import { temporaryFolder } from '../../../support/world.ts';

describe('The warm-up of the guard', () => {
  it.each([{}, { SERVICE_ALLOWED_HOSTS: 'robot.example', SERVICE_ROBOT_ID: 'r2', SERVICE_SESSION_MAX_HOURS: '1' }])(
    'stops no robot with a token of its own under the settings %j, and leaves no file',
    async (settings) => {
      const folder = temporaryFolder();
      await warmUp(loadConfig(settings).config, folder);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});
