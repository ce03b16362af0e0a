import { signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { catalogue, locations, sendCommand, sent } from '../state/commands.ts';
import { mayMove } from '../state/link.ts';
import { texts } from '../texts.ts';
import { Card, Empty } from '../ui/card.tsx';
import { SentLine } from './history.tsx';

const t = texts.drive;
const POSE_COMMANDS = { relative: 'go_to_relative', absolute: 'go_to_absolute' } as const;
type PoseKind = keyof typeof POSE_COMMANDS;

/** Typed once, kept while the page is open. */
const typed = signal({ kind: 'relative' as PoseKind, x: '0.5', y: '0', theta: '0' });

/** The places that the robot knows; it goes there if it has a command that takes a name. */
export function Locations() {
  const ids = locations.value ?? [];
  const command = catalogue.value?.find(({ kind, replaces, motion }) => kind === 'str' && replaces && motion);
  return (
    <Card title={t.locations}>
      {ids.length === 0 ? (
        <Empty>{t.noLocations}</Empty>
      ) : (
        <ul class="rows">
          {ids.map((id) => (
            <li key={id} class="row">
              <bdi class="grow value">{id}</bdi>
              {command && (
                <button
                  type="button"
                  disabled={!mayMove.value}
                  aria-label={t.goTo(id)}
                  onClick={() => void sendCommand(command.name, id)}
                >
                  {t.go}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {ids.length > 0 && !command && <p class="muted">{t.noGoTo}</p>}
    </Card>
  );
}

export function GoToPose() {
  const known = (Object.keys(POSE_COMMANDS) as PoseKind[]).filter((kind) =>
    catalogue.value?.some(({ name }) => name === POSE_COMMANDS[kind]),
  );
  const kind = known.includes(typed.value.kind) ? typed.value.kind : known[0];
  if (!kind) {
    return (
      <Card title={t.goToPose}>
        <Empty>{t.noPoseCommand}</Empty>
      </Card>
    );
  }
  const submit = (event: Event) => {
    event.preventDefault();
    const { x, y, theta } = typed.value;
    void sendCommand(POSE_COMMANDS[kind], { x: Number(x), y: Number(y), theta: Number(theta) });
  };
  const names = Object.values<string>(POSE_COMMANDS);
  const last = sent.value.find(({ name }) => names.includes(name));
  return (
    <Card title={t.goToPose}>
      <form onSubmit={submit}>
        <div class="segmented">
          {known.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="pose-kind"
                checked={one === kind}
                onChange={() => {
                  typed.value = { ...typed.value, kind: one };
                }}
              />
              <span>{t[one]}</span>
            </label>
          ))}
        </div>
        <div class="fields three">
          <PoseField name="x" />
          <PoseField name="y" />
          <PoseField name="theta" />
        </div>
        <button type="submit" class="primary" disabled={!mayMove.value}>
          {t.send}
        </button>
      </form>
      {last && <SentLine entry={last} />}
    </Card>
  );
}

function PoseField({ name }: { name: 'x' | 'y' | 'theta' }) {
  const id = useId();
  return (
    <label for={id}>
      {t[name]}
      <input
        id={id}
        type="number"
        step="any"
        required
        inputMode="decimal"
        value={typed.value[name]}
        onInput={({ currentTarget }) => {
          typed.value = { ...typed.value, [name]: currentTarget.value };
        }}
      />
    </label>
  );
}
