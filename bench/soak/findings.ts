/** What the clients observed. */
export class Findings {
  readonly #answers = new Map<string, Map<string, number>>();
  readonly #faults = new Map<string, number>();
  total = 0;

  answered(kind: string, status: number, expected: boolean, text: string): void {
    this.#count(kind, String(status));
    if (!expected) this.#fault(`${kind}: ${status} was not expected: ${text.slice(0, 300)}`);
  }

  hungUp(kind: string): void {
    this.#count(kind, 'hung up');
  }

  broken(kind: string, why: string): void {
    this.#count(kind, 'broken');
    this.#fault(`${kind}: ${why}`);
  }

  /** Distinct findings, each with its count. */
  faults(): string[] {
    return [...this.#faults].map(([fault, times]) => `${fault} (${times} times)`);
  }

  table(): Record<string, Record<string, number>> {
    return Object.fromEntries([...this.#answers].sort().map(([kind, counts]) => [kind, Object.fromEntries(counts)]));
  }

  #count(kind: string, what: string): void {
    this.total += 1;
    const counts = this.#answers.get(kind) ?? new Map<string, number>();
    counts.set(what, (counts.get(what) ?? 0) + 1);
    this.#answers.set(kind, counts);
  }

  #fault(text: string): void {
    const fault = text.replace(/"request_id":"[^"]*"/, '"request_id":"…"');
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }
}
