import '../shared.ts';
import { isAtLeast } from '../state/session.ts';
import { RunSkill } from './run-skill.tsx';
import { Runs } from './runs.tsx';
import { SkillFiles } from './skill-files.tsx';

/** Programs of the robot: their files for ADMIN, running them for everybody. */
export default function Skills() {
  return (
    <div class="grid skills">
      {isAtLeast('ADMIN') && <SkillFiles />}
      <div class="stack">
        <RunSkill />
        <Runs />
      </div>
    </div>
  );
}
