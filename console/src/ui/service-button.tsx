import type { ComponentChildren } from 'preact';
import { mayWrite } from '../state/link.ts';
import { texts } from '../texts.ts';
import type { Action } from './use-action.ts';

interface ServiceButtonProps {
  readonly onClick?: () => void;
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly type?: 'button' | 'submit';
  readonly isOff?: boolean;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A button that asks something of the service: off while that does not answer. */
export function ServiceButton({ onClick, kind, type = 'button', isOff = false, label, children }: ServiceButtonProps) {
  return (
    <button type={type} class={kind ?? ''} disabled={isOff || !mayWrite.value} aria-label={label} onClick={onClick}>
      {children}
    </button>
  );
}

/** What became of an action. */
export function Outcome({ of }: { of: Pick<Action, 'problem' | 'done'> }) {
  return (
    <>
      <p class="problem" role="alert">
        <bdi>{of.problem}</bdi>
      </p>
      <p class="done" role="status">
        <bdi>{of.done}</bdi>
      </p>
    </>
  );
}

/** Why something could not be had. */
export function Problem({ of }: { of: string | undefined }) {
  return (
    <p class="problem" role="alert">
      <bdi>{of}</bdi>
    </p>
  );
}

interface SureProps {
  readonly question: string;
  /** What the button says that does it. */
  readonly yes: string;
  readonly isOff?: boolean;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Asks before something that hurts. */
export function Sure({ question, yes, isOff = false, onYes, onNo }: SureProps) {
  return (
    <div class="ask" role="alert">
      <p>
        <bdi>{question}</bdi>
      </p>
      <div class="row">
        <ServiceButton kind="danger" isOff={isOff} onClick={onYes}>
          {yes}
        </ServiceButton>
        <button type="button" onClick={onNo}>
          {texts.cancel}
        </button>
      </div>
    </div>
  );
}
