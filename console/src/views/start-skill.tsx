import { signal } from '@preact/signals';
import { sendCommand, skills } from '../state/commands.ts';
import { mayMove } from '../state/link.ts';
import { texts } from '../texts.ts';
import { Empty } from '../ui/card.tsx';
import { inline } from '../ui/format.ts';

const t = texts.missions;

/** Kept while the page is open. */
const chosen = signal('');
const typed = signal<Readonly<Record<string, string>>>({});

/** Starts a skill with what it takes; the robot describes that in words, and judges it. */
export function StartSkill() {
  const known = skills.value ?? [];
  if (known.length === 0) return <Empty>{t.noSkills}</Empty>;
  const skill = known.find(({ name }) => name === chosen.value) ?? known[0];
  if (!skill) return null;
  const takes = Object.entries(skill.takes);
  const submit = (event: Event) => {
    event.preventDefault();
    const args = takes.flatMap(([name, about]) => {
      const text = typed.value[`${skill.name} ${name}`] ?? '';
      return text === '' ? [] : [[name, /^\s*(number|int)/i.test(inline(about)) ? Number(text) : text] as const];
    });
    void sendCommand('skill', { ...Object.fromEntries(args), name: skill.name });
  };
  return (
    <form class="start-skill" onSubmit={submit}>
      <label>
        {t.skill}
        <select
          value={skill.name}
          onChange={({ currentTarget }) => {
            chosen.value = currentTarget.value;
          }}
        >
          {known.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {takes.map(([name, about]) => (
        <label key={name}>
          <span>
            <bdi>{name}</bdi> <bdi class="muted">{inline(about)}</bdi>
          </span>
          <input
            value={typed.value[`${skill.name} ${name}`] ?? ''}
            onInput={({ currentTarget }) => {
              typed.value = { ...typed.value, [`${skill.name} ${name}`]: currentTarget.value };
            }}
          />
        </label>
      ))}
      <button type="submit" class="primary" disabled={!mayMove.value}>
        {t.run}
      </button>
    </form>
  );
}
