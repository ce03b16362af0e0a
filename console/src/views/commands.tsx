import { signal } from '@preact/signals';
import type { Command } from '../../../clients/typescript/src/index.ts';
import { catalogue, catalogueProblem, loadCatalogue, sendCommand, sent } from '../state/commands.ts';
import { mayMove, mayWrite } from '../state/link.ts';
import { isAtLeast, robot } from '../state/session.ts';
import { texts } from '../texts.ts';
import { Card, Empty } from '../ui/card.tsx';
import { CommandForm } from './command-form.tsx';
import { OthersHistory, SentHistory, SentLine } from './history.tsx';
import { Ended, UnderWay } from './missions.tsx';
import { StartSkill } from './start-skill.tsx';

const t = texts.commands;

/** Kept while the page is open. */
const search = signal('');
const chosen = signal<string | undefined>();

/** Everything that the robot can be told and asked, its missions, and what was sent. */
export function Commands() {
  return (
    <div class="grid commands">
      <Catalogue />
      <div class="stack">
        <Chosen />
        <Card title={t.history} class="history">
          <SentHistory />
        </Card>
      </div>
      <div class="stack">
        <Card title={texts.missions.title}>
          <StartSkill />
          <h3>{texts.missions.underWay}</h3>
          <UnderWay />
          <h3>{texts.missions.ended}</h3>
          <Ended />
        </Card>
        {isAtLeast('ADMIN') && (
          <Card title={t.others} class="history">
            <OthersHistory />
          </Card>
        )}
      </div>
    </div>
  );
}

function Catalogue() {
  const wanted = search.value.trim().toLowerCase();
  const found = catalogue.value?.filter(
    ({ name, title }) => name.toLowerCase().includes(wanted) || title.toLowerCase().includes(wanted),
  );
  return (
    <Card title={t.catalogue} class="catalogue">
      <label>
        {t.search}
        <input
          type="search"
          value={search.value}
          onInput={({ currentTarget }) => {
            search.value = currentTarget.value;
          }}
        />
      </label>
      {catalogueProblem.value !== undefined && (
        <p class="problem" role="alert">
          <bdi>{catalogueProblem.value}</bdi>{' '}
          <button
            type="button"
            disabled={!mayWrite.value}
            onClick={() => robot.value && void loadCatalogue(robot.value)}
          >
            {t.reload}
          </button>
        </p>
      )}
      {!found && catalogueProblem.value === undefined && <Empty>{t.loading}</Empty>}
      {found?.length === 0 && <Empty>{wanted === '' ? t.empty : t.none}</Empty>}
      {found && found.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached with the keyboard
        <section class="choices" tabIndex={0} aria-label={texts.views.commands}>
          <Group title={t.actions} commands={found.filter(({ effect }) => effect === 'action')} />
          <Group title={t.queries} commands={found.filter(({ effect }) => effect === 'query')} />
        </section>
      )}
    </Card>
  );
}

function Group({ title, commands }: { title: string; commands: readonly Command[] }) {
  if (commands.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="choice-list">
        {commands.map((command) => (
          <li key={command.name}>
            <button
              type="button"
              class="choice"
              aria-pressed={chosen.value === command.name}
              onClick={() => {
                chosen.value = command.name;
                // On a phone the form is below the list.
                requestAnimationFrame(() => document.querySelector('.chosen')?.scrollIntoView({ block: 'nearest' }));
              }}
            >
              <bdi>{command.title}</bdi>
              <bdi class="muted mono">{command.name}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Chosen() {
  const command = catalogue.value?.find(({ name }) => name === chosen.value);
  if (!command) {
    return (
      <Card title={t.value} class="chosen">
        <Empty>{t.choose}</Empty>
      </Card>
    );
  }
  const last = sent.value.find(({ name }) => name === command.name);
  return (
    <Card title={command.title} class="chosen">
      <p class="row">
        <bdi class="mono muted">{command.name}</bdi>
        {command.motion === true && <span class="badge warn">{t.motion}</span>}
        {command.waits === true && <span class="badge">{t.waits}</span>}
      </p>
      <CommandForm
        key={command.name}
        command={command}
        isOff={command.motion === true ? !mayMove.value : !mayWrite.value}
        onSend={(value) => void sendCommand(command.name, value)}
      />
      {last && <SentLine entry={last} />}
    </Card>
  );
}
