import { type Port, port } from '../shared/port.ts';
import { PairingCodes } from './pairing-codes.ts';

/** The pairing codes that are open. */
export const pairingCodes: Port<PairingCodes> = /* @__PURE__ */ port('pairing codes', () => new PairingCodes());
