import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/processes.ts';
import { folder, service, useSkillService } from '../support/skill-service.ts';

function write(name: string, source: string): void {
  writeFileSync(join(folder(), `${name}.py`), `from robot_rest import skill\n\n${source}`);
}

async function start(body: object, level: 'USER' | 'ADMIN' = 'USER') {
  return service.as(level, '/api/v2/runs/', { method: 'POST', body });
}

async function ended(id: string) {
  let run = (await service.as('USER', `/api/v2/runs/${id}`)).json;
  await until(`run ${id} has ended`, async () => {
    run = (await service.as('USER', `/api/v2/runs/${id}`)).json;
    return !['starting', 'running', 'stopping'].includes(run.state);
  });
  return run;
}

describe('Runs', () => {
  useSkillService();
  beforeAll(() => {
    write(
      'greet',
      'import os\n@skill\nasync def greet(robot, who: str, times: int = 1):\n    print("hello", who)\n    print(sorted(os.environ))\n    return {"who": who, "pose": (await robot.get_pose()).result, "id": robot.client_id, "level": robot.access_level}\n',
    );
  });

  it('runs a function, which reaches the robot as itself at level USER', async () => {
    const started = await start({ skill: 'greet', args: { who: 'Anna' } });
    expect([started.status, started.json]).toMatchObject([201, { state: 'starting', function: 'greet', result: null }]);
    const run = await ended(started.json.id);
    expect(run).toMatchObject({ state: 'succeeded', error: null, result: { who: 'Anna', id: run.id, level: 'USER' } });
    const logs = await service.as('USER', `/api/v2/runs/${run.id}/logs`);
    expect(logs.json.entries.map(({ message }: { message: string }) => message)[0]).toBe('hello Anna');
  });
});
