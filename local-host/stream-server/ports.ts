import { type Port, port } from '../../functions/shared/port.ts';
import { openMediaMtx } from './media-mtx.ts';
import type { StreamServer } from './port.ts';

/** The video-stream server that is notified of new public keys (SERVICE_MEDIAMTX_API_URL). */
export const streamServer: Port<StreamServer> = port('stream server', ({ config }) =>
  openMediaMtx(config.SERVICE_MEDIAMTX_API_URL),
);
