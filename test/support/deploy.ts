import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

export const DEPLOY = join(ROOT, 'deploy');

export const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');
