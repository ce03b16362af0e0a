import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a page that plays the camera evaluates: it films a canvas whose colour changes, and answers an offer. */
const FILM = (offer: string) => `(async () => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
  const brush = canvas.getContext('2d');
  let hue = 0;
  window.filming ??= [];
  const timer = setInterval(() => {
    brush.fillStyle = 'hsl(' + (hue += 7) + ' 80% 50%)';
    brush.fillRect(0, 0, 320, 180);
  }, 50);
  const peer = new RTCPeerConnection();
  window.filming.push({ peer, timer });
  await peer.setRemoteDescription({ type: 'offer', sdp: ${JSON.stringify(offer)} });
  for (const track of canvas.captureStream(20).getTracks()) peer.addTrack(track);
  await peer.setLocalDescription(await peer.createAnswer());
  if (peer.iceGatheringState !== 'complete') await new Promise((done) => {
    peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done();
  });
  return peer.localDescription.sdp;
})()`;

/** Ends all films: no more pictures, and no word about it. */
export const UNPLUG = `for (const { timer } of window.filming.splice(0)) clearInterval(timer)`;

/** A video server as MediaMTX is one, over WHEP; its pictures come from a page of a browser. */
export class VideoServer {
  readonly tokens: string[] = [];
  readonly ended: string[] = [];
  /** Answers with this status instead, while set. */
  refusal: number | undefined;
  /** Plays the camera. */
  film: ((script: string) => Promise<string>) | undefined;
  readonly #server: Server = createServer((request, response) => {
    void this.#answer(request).then(({ status, headers = {}, body = '' }) => {
      const cors = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'Location' };
      const preflight = {
        'access-control-allow-methods': '*',
        'access-control-allow-headers': 'authorization, content-type',
      };
      response.writeHead(status, { ...cors, ...preflight, ...headers }).end(body);
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo; // as: it listens on TCP
    return `http://127.0.0.1:${port}/camera/whep`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(
    request: IncomingMessage,
  ): Promise<{ status: number; headers?: Record<string, string>; body?: string }> {
    if (request.method === 'OPTIONS') return { status: 204 };
    if (request.method === 'DELETE') {
      this.ended.push(request.url ?? '');
      return { status: 200 };
    }
    this.tokens.push(request.headers.authorization ?? '');
    if (this.refusal !== undefined || !this.film) return { status: this.refusal ?? 404 };
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer); // as: bodies are bytes
    const body = await this.film(FILM(Buffer.concat(pieces).toString()));
    const location = `/camera/whep/${this.tokens.length}`;
    return { status: 201, headers: { 'content-type': 'application/sdp', location }, body };
  }
}
