import '../shared.ts';
import { useEffect, useRef, useState } from 'preact/hooks';
import { videoUrl } from '../state/video.ts';
import { WhepRefusal, WhepSession } from '../state/whep.ts';
import { texts as t } from '../texts/camera.ts';
import { Card } from '../ui/card.tsx';

const RETRY_S = [1, 2, 5, 10] as const;
/** Without a new picture for so long it is old, whatever the connection says. */
const STILL_MS = 2500;

/** The camera, for as long as it is shown; it comes back by itself. A picture that is old is not shown as if it were new. */
export default function Camera() {
  const video = useRef<HTMLVideoElement>(null);
  const [notice, setNotice] = useState<string | undefined>(t.connecting);
  useEffect(() => (videoUrl === undefined ? undefined : watch(videoUrl, video, setNotice)), []);
  return (
    <Card title={t.title} class="camera-card">
      <div class={`camera ${notice === undefined ? '' : 'blank'}`}>
        <video ref={video} autoplay muted playsInline aria-label={t.label} />
        <p role="status">{notice}</p>
      </div>
    </Card>
  );
}

/** @returns a function that ends it. */
function watch(
  url: string,
  video: { readonly current: HTMLVideoElement | null },
  tell: (notice: string | undefined) => void,
): () => void {
  let session: WhepSession | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isOver = false;

  const fail = (why: string) => {
    if (isOver) return;
    clearTimeout(timer);
    session?.close();
    session = undefined;
    const seconds = RETRY_S[Math.min(failures, RETRY_S.length - 1)] ?? 1;
    failures += 1;
    tell(`${t.gone} ${why} ${t.retry(seconds)}`);
    timer = setTimeout(() => void begin(), seconds * 1000);
  };
  const look = async (own: WhepSession, before: number) => {
    const frames = await own.framesDecoded();
    if (isOver || session !== own) return;
    if (frames === before) return fail(t.still);
    failures = 0;
    tell(undefined);
    timer = setTimeout(() => void look(own, frames), STILL_MS);
  };
  const begin = async () => {
    const own = new WhepSession(url);
    session = own;
    try {
      await own.open(
        (stream) => {
          if (video.current) video.current.srcObject = stream;
        },
        () => session === own && fail(t.broken),
      );
      timer = setTimeout(() => void look(own, 0), STILL_MS);
      video.current?.addEventListener('playing', () => session === own && tell(undefined), { once: true });
    } catch (error) {
      if (session === own) fail(error instanceof WhepRefusal ? t.refused(error.status) : t.noAnswer);
    }
  };
  void begin();
  return () => {
    isOver = true;
    clearTimeout(timer);
    session?.close();
  };
}
