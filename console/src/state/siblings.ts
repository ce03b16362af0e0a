interface Hooks {
  /** The token of this tab, if it has one. */
  readonly token: () => string | undefined;
  readonly onToken: (token: string) => void;
  readonly onSignedOut: () => void;
}

/** Other tabs of the same robot, which hand the token over; nothing is stored. */
export class Siblings {
  readonly #channel: BroadcastChannel;

  constructor(name: string, { token, onToken, onSignedOut }: Hooks) {
    this.#channel = new BroadcastChannel(name);
    this.#channel.addEventListener('message', ({ data }: MessageEvent<{ type?: unknown; token?: unknown } | null>) => {
      if (data?.type === 'ask') {
        const own = token();
        if (own !== undefined) this.tell(own);
      } else if (data?.type === 'token' && typeof data.token === 'string') onToken(data.token);
      else if (data?.type === 'signed-out') onSignedOut();
    });
    this.#channel.postMessage({ type: 'ask' });
  }

  tell(token: string): void {
    this.#channel.postMessage({ type: 'token', token });
  }

  tellSignedOut(): void {
    this.#channel.postMessage({ type: 'signed-out' });
  }
}
