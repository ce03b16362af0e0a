import { type Port, port } from '../../shared/port.ts';
import type { ServedTls } from './port.ts';

/** What the TLS listener shows now, or undefined where there is none; provided by the host. */
export const servedTls: Port<() => ServedTls | undefined> = /* @__PURE__ */ port('served TLS', () => () => undefined);
