import { get } from 'node:http';

/** A client of server-sent events. */
export interface EventClient {
  readonly status: number;
  /** Everything received so far. */
  text(): string;
  /** The JSON of each `data:` line so far. */
  data(): Array<Record<string, unknown>>;
  /** Hangs up. */
  leave(): void;
}

/** Opens a stream and settles once its first bytes are here; an error answer counts as bytes. */
export function openEvents(url: string, token: string): Promise<EventClient> {
  return new Promise((resolve, reject) => {
    let text = '';
    const request = get(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      response.setEncoding('utf8').on('error', () => undefined);
      response.on('data', (chunk: string) => {
        text += chunk;
        resolve({
          status: response.statusCode ?? 0,
          text: () => text,
          data: () => [...text.matchAll(/^data: (.+)$/gm)].map(([, json = '']) => JSON.parse(json)),
          leave: () => request.destroy(),
        });
      });
    });
    request.on('error', reject);
  });
}
