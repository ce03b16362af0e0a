import { afterAll } from '@jest/globals';
import { closeBrowser } from '../support/console-world.ts';
import './journeys/database.ts';
import './journeys/skills.ts';
import './journeys/operations.ts';
import './journeys/language.ts';
import './journeys/network.ts';
import './journeys/logs.ts';

afterAll(closeBrowser);
