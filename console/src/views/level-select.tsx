import type { AccessLevel } from '../../../clients/typescript/src/index.ts';
import { texts as t } from '../texts/keys.ts';

const LEVELS: readonly AccessLevel[] = ['USER', 'ADMIN', 'ENCHANTER'];

interface LevelSelectProps {
  readonly value: AccessLevel;
  readonly atMost: AccessLevel;
  readonly onChange: (level: AccessLevel) => void;
}

/** Nobody gives more than they have. */
export function LevelSelect({ value, atMost, onChange }: LevelSelectProps) {
  return (
    <label>
      {t.level}
      <select
        value={value}
        onChange={({ currentTarget }) => onChange(LEVELS.find((one) => one === currentTarget.value) ?? 'USER')}
      >
        {LEVELS.slice(0, LEVELS.indexOf(atMost) + 1).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  );
}
