import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import type { Ports } from '../../functions/shared/port.ts';
import { handler as get } from '../../functions/system/llm-config/get-llm-config.handler.ts';
import { handler as patch } from '../../functions/system/llm-config/patch-llm-config.handler.ts';
import { callersAre } from './caller.ts';
import { type Answer, invoke } from './invoke.ts';
import { temporaryFolder, testConfig, testPorts } from './world.ts';

export const BEARER = { authorization: 'Bearer t' };

export const TEXT = '# mine\nmodel: a # which\nmax_tokens: 512\nnested:\n  deep: {x: 1}\n';

export let file: string;

export let ports: Ports;

/** Goes on with these settings. */
export function configure(settings: Record<string, string>): void {
  ports = testPorts({ config: testConfig(settings), given: [callersAre('ENCHANTER')] });
}

export function read(headers: Record<string, string> = {}): Promise<Answer> {
  return invoke(get, { ports, headers: { ...BEARER, ...headers } });
}

export function change(command: string, value: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return invoke(patch, { ports, method: 'PATCH', headers: { ...BEARER, ...headers }, body: { command, value } });
}

/** A configuration file and ports of its own for each test. */
export function useLlmConfig(): void {
  beforeEach(() => {
    file = join(temporaryFolder(), 'llm.yaml');
    writeFileSync(file, TEXT);
    configure({ SERVICE_LLM_CONFIG_PATH: file });
  });
  afterEach(() => ports.close());
}
