import { signal } from '@preact/signals';
import type { Command } from '../../../clients/typescript/src/index.ts';
import { skills } from '../state/commands.ts';
import { lease } from '../state/driving.ts';
import { mayWrite } from '../state/link.ts';
import { membersOf } from '../state/objects.ts';
import { robot } from '../state/session.ts';
import { texts as t } from '../texts/skills.ts';
import { Card, Empty } from '../ui/card.tsx';
import { Outcome } from '../ui/service-button.tsx';
import { useAction } from '../ui/use-action.ts';
import { CommandForm } from './command-form.tsx';

/** Kept while the page is open. */
const chosen = signal('');

/** Runs a function of an uploaded skill, with a form from its signature. */
export function RunSkill() {
  const action = useAction();
  const uploaded = (skills.value ?? []).flatMap((one) => {
    const { source, skill, args } = one as { source?: unknown; skill?: unknown; args?: unknown }; // as: further members
    return source === 'uploaded' && typeof skill === 'string' ? [{ ...one, skill, args: membersOf(args) ?? {} }] : [];
  });
  const found = uploaded.find((one) => keyOf(one) === chosen.value) ?? uploaded[0];
  const run = (args: unknown) =>
    action.run(async () => {
      if (!found) return undefined;
      const body = {
        skill: found.skill,
        function: found.name,
        args: { ...membersOf(args) },
        ...(lease.value ? { lease: lease.value.id } : {}),
      };
      await robot.value?.call('post', '/api/v2/runs/', { body: body as never }); // as: arguments are any JSON
      return t.started(found.name);
    });
  return (
    <Card title={t.run}>
      {skills.value === undefined && <Empty>{t.loading}</Empty>}
      {skills.value && !found && <Empty>{t.noSkills}</Empty>}
      {found && (
        <>
          <label>
            {t.skill}
            <select
              value={keyOf(found)}
              onChange={({ currentTarget }) => {
                chosen.value = currentTarget.value;
              }}
            >
              {uploaded.map((one) => (
                <option key={keyOf(one)} value={keyOf(one)}>
                  {one.name} ({one.skill}.py)
                </option>
              ))}
            </select>
          </label>
          {found.title !== found.name && (
            <p class="muted">
              <bdi>{found.title}</bdi>
            </p>
          )}
          {lease.value && <p class="muted">{t.underLease}</p>}
          <CommandForm
            key={keyOf(found)}
            command={commandOf(keyOf(found), found.args)}
            isOff={!mayWrite.value || action.isBusy}
            onSend={(value) => void run(value)}
          />
          <Outcome of={action} />
        </>
      )}
    </Card>
  );
}

function keyOf({ skill, name }: { readonly skill: string; readonly name: string }): string {
  return `${skill}.py ${name}`;
}

/** A function as a command: its form is made in the same way. */
function commandOf(name: string, args: Readonly<Record<string, unknown>>): Command {
  const takesSomething = Object.keys(membersOf(args.properties) ?? {}).length > 0;
  const kind = takesSomething ? 'dict' : 'none';
  return { name, title: name, kind, effect: 'action', ...(takesSomething ? { args } : {}) } as Command; // as: what a form needs
}
