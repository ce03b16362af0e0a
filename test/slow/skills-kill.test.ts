import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type HttpAnswer, http } from '../support/http.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { Random } from '../support/random.ts';
import { temporaryFolder } from '../support/world.ts';

const ROUNDS = 16;
const settings = { HOME: temporaryFolder(), SERVICE_SKILL_PYTHON: '/usr/bin/python3', SERVICE_LOG_LEVEL: 'silent' };
const folder = join(settings.HOME, '.robot-rest', 'skills');

interface Running {
  readonly service: ServiceProcess;
  readonly token: string;
}

async function start(): Promise<Running> {
  const service = await startProcess(settings);
  return { service, token: (await http(service.socketPath, '/api/v2/auth/')).json.token };
}

function upload({ service, token }: Running, fileName: string, text: string): Promise<HttpAnswer> {
  const body = `--XX\r\nContent-Disposition: form-data; name="skill"; filename="${fileName}"\r\n\r\n${text}\r\n--XX--\r\n`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=XX' };
  return http(service.url, '/api/v2/skill/upload/', { method: 'POST', headers, body });
}

const sourceOf = (round: number) => `# ${round}\n${`# ${'x'.repeat(96)}\n`.repeat(5_000)}`;
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

describe('A service killed during an upload', () => {
  it('leaves the old or the new skill, and the next start cleans up', async () => {
    const random = new Random(20_261_121);
    const outcomes = { old: 0, new: 0 };
    let present = sourceOf(0);
    let running = await start();
    await upload(running, 'x.py', present);
    // Where the new one takes over is found by coming nearer from both sides: machines take 5 ms or 500 ms for it.
    let latest = 20;
    for (let round = 1; round <= ROUNDS; round++) {
      const next = sourceOf(round);
      const name = random.pick(['x.py', 'disabled.x.py']);
      const answer = upload(running, name, next).then(
        ({ status }) => status,
        () => undefined,
      );
      await sleep(random.below(latest));
      await running.service.end('SIGKILL');
      const answered = (await answer) === 200;
      running = await start();
      const headers = { authorization: `Bearer ${running.token}` };
      const { json } = await http(running.service.url, '/api/v2/skill/list/', { headers });
      const skill = json.skills.find((each: { name: string }) => each.name === 'x.py');
      const found = [present, next].find((text) => hash(text) === skill.sha256);
      expect(found).toBeDefined();
      if (answered) expect(found).toBe(next);
      expect(readdirSync(folder).filter((entry) => entry.startsWith('.'))).toEqual([]);
      const outcome = found === next ? 'new' : 'old';
      outcomes[outcome] += 1;
      latest *= outcome === 'new' ? 0.5 : 2;
      present = found ?? present;
    }
    await running.service.end();
    // The kills have hit both sides of the moment at which the new one takes over.
    expect(outcomes.old).toBeGreaterThan(0);
    expect(outcomes.new).toBeGreaterThan(0);
  });
});
