import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openLlmConfigFile } from '../../functions/system/llm-config/adapters/open.ts';
import { parseDocument } from '../../functions/system/llm-config/yaml/document.ts';
import { sourcePath, startModule } from '../support/run-source.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { describeOnDisks } from '../support/small-disk.ts';
import { silentLogger, temporaryFolder, testConfig } from '../support/world.ts';

const KILLS = 12;
/** Large enough that a write takes a while. */
const REST = Array.from({ length: 4000 }, (_, index) => `key_${index}: "value ${index}" # comment ${index}\n`).join('');

/** A program that counts up one key of the file without end, and says each number it has been told is written. */
function counter(file: string, key: string): string {
  return `
    import { ConfigFile } from '${sourcePath('functions/system/llm-config/adapters/config-file.ts')}';
    import { changeLlmConfig, readLlmConfig } from '${sourcePath('functions/system/llm-config/llm-config.ts')}';
    import { DiskReserve } from '${sourcePath('functions/shared/kit/files/disk-reserve.ts')}';
    import { change, toJson } from '${sourcePath('functions/system/llm-config/yaml/work.ts')}';
    const yamlWork = { toJson: async (bytes) => toJson(bytes), change: async (bytes, wish) => change(bytes, wish) };
    const llmConfigFile = new ConfigFile('${file}', new DiskReserve(0));
    for (;;) {
      const { json } = await readLlmConfig({ llmConfigFile, yamlWork });
      const next = JSON.parse(json).${key} + 1;
      await changeLlmConfig({ llmConfigFile, yamlWork }, { key: '${key}', value: next, ifMatch: undefined });
      console.log(next);
    }`;
}

const leftoversIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.tmp'));

function numberIn(text: string, key: string): number {
  return Number(parseDocument(text).value[key]);
}

describe('kill -9 of a service at any point of a configuration change', () => {
  it('leaves the old or the new file, with the previous one next to it', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'llm.yaml');
    writeFileSync(file, `count: 0\n${REST}`);
    let kept = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const started = startModule(counter(file, 'count'));
      while (!started.stdout().includes('\n')) await pause(5);
      await pause(Math.random() * 50);
      started.child.kill('SIGKILL');
      const { signal, stdout } = await started.ended;
      expect(signal).toBe('SIGKILL');

      // It counted on from what the killed one before had left; nothing that was told is missing.
      const told = stdout.trimEnd().split('\n').map(Number);
      expect(told).toEqual(told.map((_, index) => kept + 1 + index));
      const text = readFileSync(file, 'utf8');
      kept = numberIn(text, 'count');
      expect([told.at(-1), (told.at(-1) ?? 0) + 1]).toContain(kept);
      expect(text).toBe(`count: ${kept}\n${REST}`);
      const previous = readFileSync(`${file}.bak`, 'utf8');
      expect([kept - 1, kept]).toContain(numberIn(previous, 'count'));
      // What this kill has left, of the file and of the previous one, and nothing of the kills before.
      expect(leftoversIn(folder).length).toBeLessThanOrEqual(2);
    }
    await openLlmConfigFile(testConfig({ SERVICE_LLM_CONFIG_PATH: file }), silentLogger);
    expect(leftoversIn(folder)).toEqual([]);
  });
});

describe('Two services that change the configuration concurrently', () => {
  it("lose none of each other's changes", async () => {
    const file = join(temporaryFolder(), 'llm.yaml');
    writeFileSync(file, 'a: 0\nb: 0\n');
    const both = ['a', 'b'].map((key) => startModule(counter(file, key)));
    while (both.some(({ stdout }) => stdout().split('\n').length < 30)) await pause(20);
    for (const { child } of both) child.kill('SIGTERM');
    const [a = 0, b = 0] = await Promise.all(
      both.map(async ({ ended }) => Number((await ended).stdout.trimEnd().split('\n').at(-1))),
    );
    const text = readFileSync(file, 'utf8');
    expect([a, a + 1]).toContain(numberIn(text, 'a'));
    expect([b, b + 1]).toContain(numberIn(text, 'b'));
  });
});

describeOnDisks('A full disk', (mount) => {
  let service: TestService;
  afterAll(() => service.stop());

  it('answers 507 and leaves the configuration and its backup unchanged', async () => {
    const disk = mount(64 * 1024);
    const file = join(disk.folder, 'llm.yaml');
    writeFileSync(file, 'a: 1\nb: 2\n');
    service = await startTestService({ settings: { SERVICE_LLM_CONFIG_PATH: file } });
    const change = (value: number) =>
      service.as('ENCHANTER', '/api/v2/llm_config/', { method: 'PATCH', body: { command: 'a', value } });
    expect((await change(2)).status).toBe(200);
    const before = readFileSync(file, 'utf8');
    disk.fill();
    const { status, json } = await change(3);
    expect([status, json.code]).toEqual([507, 'storage_full']);
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readFileSync(`${file}.bak`, 'utf8')).toBe('a: 1\nb: 2\n');
    expect(readdirSync(disk.folder).sort()).toEqual(['filler', 'llm.yaml', 'llm.yaml.bak']);
  });
});
