import { afterAll } from '@jest/globals';
import { closeBrowser } from '../support/console-world.ts';
import './journeys/stop.ts';
import './journeys/drive.ts';
import './journeys/killed.ts';
import './journeys/guard.ts';
import './journeys/camera.ts';

afterAll(closeBrowser);
