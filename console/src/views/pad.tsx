import { useEffect } from 'preact/hooks';
import {
  type Direction,
  held,
  isReady,
  isTaking,
  isWaiting,
  lease,
  letGo,
  MAX_ANGULAR,
  MAX_LINEAR,
  openJog,
  press,
  release,
  setSpeed,
  speed,
} from '../state/driving.ts';
import { mayMove } from '../state/link.ts';
import { texts } from '../texts.ts';
import { Card } from '../ui/card.tsx';
import { number } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';

const t = texts.drive;
/** In the order of the pad: three in a row. */
const BUTTONS: readonly (Direction | undefined)[] = [
  'turnLeft',
  'forward',
  'turnRight',
  'left',
  undefined,
  'right',
  undefined,
  'back',
  undefined,
];
const KEYS: ReadonlyMap<string, Direction> = new Map<string, Direction>([
  ['KeyW', 'forward'],
  ['ArrowUp', 'forward'],
  ['KeyS', 'back'],
  ['ArrowDown', 'back'],
  ['KeyA', 'turnLeft'],
  ['ArrowLeft', 'turnLeft'],
  ['KeyD', 'turnRight'],
  ['ArrowRight', 'turnRight'],
  ['KeyQ', 'left'],
  ['KeyE', 'right'],
]);

/** What is not held does not move: every way to let go of a button or key ends its direction. */
export function Pad() {
  useEffect(() => letGo, []);
  const isOff = !isReady.value || !mayMove.value;
  const canReconnect = lease.value !== undefined && !isReady.value && !isTaking.value;
  return (
    <Card title={t.pad} class="pad-card">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have the focus, which the keys need */}
      <div
        class={`pad ${isOff ? 'off' : ''}`}
        role="group"
        aria-label={t.pad}
        aria-describedby="pad-help"
        tabIndex={isOff ? -1 : 0}
        onKeyDown={keyDown}
        onKeyUp={keyUp}
        onBlurCapture={letGo}
        onContextMenu={(event) => event.preventDefault()}
      >
        {BUTTONS.map((direction, n) =>
          direction ? (
            <PadButton key={direction} direction={direction} isOff={isOff} />
          ) : (
            <span key={`gap${n.toString()}`} />
          ),
        )}
      </div>
      <div class="speed">
        <label for="speed">{t.speed}</label>
        <output for="speed">
          {number(speed.value * MAX_LINEAR)} m/s, {number(speed.value * MAX_ANGULAR)} rad/s
        </output>
        <input
          id="speed"
          type="range"
          min="0.1"
          max="1"
          step="0.1"
          value={speed.value}
          onInput={({ currentTarget }) => setSpeed(Number(currentTarget.value))}
        />
      </div>
      {canReconnect && (
        <button type="button" disabled={!mayMove.value} onClick={() => lease.value && void openJog(lease.value)}>
          {t.reconnect}
        </button>
      )}
      <p id="pad-help" class="muted">
        {isWaiting.value ? t.waiting : lease.value ? t.padHelp : t.padOff}
      </p>
    </Card>
  );
}

function PadButton({ direction, isOff }: { direction: Direction; isOff: boolean }) {
  const end = () => release(direction);
  const begin = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    press(direction);
  };
  return (
    <button
      type="button"
      class={`hold ${held.value.has(direction) ? 'held' : ''}`}
      aria-label={t.directions[direction]}
      title={t.directions[direction]}
      disabled={isOff}
      onPointerDown={begin}
      onPointerUp={end}
      onPointerCancel={end}
      onLostPointerCapture={end}
      onKeyDown={(event) => {
        if (!isHoldKey(event)) return;
        event.preventDefault();
        if (!event.repeat) press(direction);
      }}
      onKeyUp={(event) => {
        if (isHoldKey(event)) end();
      }}
    >
      <Icon name={direction} />
    </button>
  );
}

function isHoldKey({ key }: KeyboardEvent): boolean {
  return key === ' ' || key === 'Enter';
}

function keyDown(event: KeyboardEvent): void {
  const direction = KEYS.get(event.code);
  if (!direction || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (!event.repeat) press(direction);
}

function keyUp({ code }: KeyboardEvent): void {
  const direction = KEYS.get(code);
  if (direction) release(direction);
}
