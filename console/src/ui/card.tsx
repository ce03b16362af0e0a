import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  readonly title: string;
  /** At the right of the title. */
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Card({ title, aside, class: more = '', children }: CardProps) {
  const id = useId();
  return (
    <section class={`card ${more}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** What there is to say where there is nothing to show. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** Names and values in two columns. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="value">{children}</dd>
    </div>
  );
}
