import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith } from '../support/components.ts';
import { BUBBLEWRAP, RunService } from '../support/run-service.ts';
import { pythonWithVendorPackage } from '../support/vendor-package.ts';

/** As somebody wrote it for the vendor's robot. */
const SKILL = `from pymirokai.decorators.skill import skill
from pymirokai.enums.enums import AccessLevel
from pymirokai.robot import Robot

@skill(
    access_level=AccessLevel.USER,
    verbal_descriptions={"en": ["how are you"], "fr": ["comment vas-tu"]},
)
async def how_are_you(robot: Robot, topic: str = "battery_voltage") -> dict:
    """Tells its language and a value."""
    return {"language": await robot.get_language(), "value": await robot.topic(topic)}
`;

function withSkill(runs: RunService): void {
  writeFileSync(join(runs.service.ports.config.SERVICE_SKILLS_DIR, 'how_are_you.py'), SKILL);
}

describe('A skill written for pymirokai', () => {
  const python = pythonWithVendorPackage();

  describeWith('bubblewrap', BUBBLEWRAP, 'in a sandbox', () => {
    let runs: RunService;
    beforeAll(async () => {
      runs = await RunService.start({ SERVICE_SKILL_PYTHON: python });
      withSkill(runs);
    });
    afterAll(() => runs.stop());

    it('reaches the robot at the addresses that its client knows, as its run', async () => {
      const run = await runs.complete('how_are_you');
      expect(run.error).toBeNull();
      expect(run).toMatchObject({ sandbox: 'bubblewrap', result: { language: 'en', value: expect.any(Number) } });
    });

    it('runs by name, with arguments by its signature', async () => {
      const { ok, result } = await runs.command('skill', { name: 'how_are_you', topic: 'max_velocity' });
      expect([ok, (await runs.ended(result.msg)).state]).toEqual([true, 'succeeded']);
    });

    it('is listed with its package', async () => {
      const { json } = await runs.service.as('ADMIN', '/api/v2/skill/list/');
      const skill = json.skills.find(({ name }: { name: string }) => name === 'how_are_you.py');
      expect(skill.functions).toMatchObject([{ name: 'how_are_you', access_level: 'USER', package: 'pymirokai' }]);
    });

    it('ends when the robot is stopped while it waits for an answer of its socket', async () => {
      const { id } = await runs.run('how_are_you', { args: { topic: 'no_such_topic' } });
      const { json } = await runs.service.as('USER', '/api/v2/stop', { method: 'POST' });
      expect(json.runs_stopped).toEqual([id]);
      expect((await runs.ended(id)).state).toBe('stopped');
    });
  });

  it('is refused without a sandbox, saying so, and so is one that the parser does not recognise', async () => {
    const runs = await RunService.start({ SERVICE_SKILL_PYTHON: python, PATH: '/nonexistent' });
    withSkill(runs);
    const { status, json } = await runs.post('/api/v2/runs/', { skill: 'how_are_you' });
    expect([status, json.code, json.detail]).toEqual([
      503,
      'component_unavailable',
      expect.stringContaining('sandbox'),
    ]);
    runs.write(
      'hidden',
      'import importlib\nskill = importlib.import_module("pymirokai.decorators.skill").skill\n@skill()\nasync def hidden(robot): pass',
    );
    const { state, error } = await runs.complete('hidden');
    expect([state, error.message]).toEqual(['failed', expect.stringContaining('needs a sandbox')]);
    await runs.stop();
  });

  it('fails saying what is missing where the package is not installed', async () => {
    const runs = await RunService.start();
    withSkill(runs);
    const run = await runs.complete('how_are_you').catch((error: Error) => ({ error }));
    expect(run.error.message).toMatch(/pymirokai/);
    await runs.stop();
  });
});
