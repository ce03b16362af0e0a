import { authorization } from './session.ts';

const GATHERING_MS = 1000;
const ANSWER_MS = 10_000;

/** The status of an answer that is none to play. */
export class WhepRefusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`status ${status}`);
    this.status = status;
  }
}

/** One session of WHEP (draft-ietf-wish-whep), from the offer to the end. */
export class WhepSession {
  readonly #url: URL;
  readonly #connection = new RTCPeerConnection();
  #resource: URL | undefined;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** @param onStream called once there is something to see. @param onEnd called when the connection is gone. */
  async open(onStream: (stream: MediaStream) => void, onEnd: () => void): Promise<void> {
    const peer = this.#connection;
    peer.addTransceiver('video', { direction: 'recvonly' });
    peer.ontrack = ({ streams: [stream], track }) => onStream(stream ?? new MediaStream([track]));
    peer.onconnectionstatechange = () => {
      if (peer.connectionState === 'failed' || peer.connectionState === 'disconnected') onEnd();
    };
    await peer.setLocalDescription(await peer.createOffer());
    await gathered(peer);
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/sdp', ...authorization() },
      body: peer.localDescription?.sdp ?? '',
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (response.status !== 201) throw new WhepRefusal(response.status);
    const location = response.headers.get('Location');
    if (location !== null) this.#resource = new URL(location, this.#url);
    await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
  }

  /** How many pictures have come so far. */
  async framesDecoded(): Promise<number> {
    let frames = 0;
    for (const stats of (await this.#connection.getStats()).values()) {
      if (stats.type === 'inbound-rtp' && typeof stats.framesDecoded === 'number') frames = stats.framesDecoded;
    }
    return frames;
  }

  /** Gives the camera back; the token is sent to its server alone. */
  close(): void {
    this.#connection.close();
    if (this.#resource?.origin !== this.#url.origin) return;
    const gone = { method: 'DELETE', headers: authorization(), keepalive: true, credentials: 'omit' } as const;
    void fetch(this.#resource, gone).catch(() => undefined);
  }
}

/** The offer says all its addresses at once; one that takes long is left out. */
function gathered(peer: RTCPeerConnection): Promise<void> {
  return new Promise((resolve) => {
    if (peer.iceGatheringState === 'complete') return resolve();
    setTimeout(resolve, GATHERING_MS);
    peer.addEventListener('icegatheringstatechange', () => {
      if (peer.iceGatheringState === 'complete') resolve();
    });
  });
}
