import { afterAll } from '@jest/globals';
import { closeBrowser } from '../support/console-world.ts';
import './journeys/sign-in.ts';
import './journeys/accessibility.ts';
import './journeys/overview.ts';
import './journeys/commands.ts';
import './journeys/keys.ts';
import './journeys/fleet.ts';

afterAll(closeBrowser);
