import type * as z from 'zod';
import { NoArgCommand, VALUE_PAYLOADS } from '../../functions/commands/command.schema.ts';
import { ROW_MODELS } from '../../functions/database/row.schema.ts';
import { TransferredTable } from '../../functions/database/transfer.schema.ts';
import { ServiceUnit, SystemUnavailable } from '../../functions/system/services/services.schema.ts';

/**
 * Models of what the document shows as any JSON, since its form follows from something else: the table, the kind of the
 * command, whether a computer can be reached. Their places name them in a description.
 */
export const DECODED_BY_HAND: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(Object.values(VALUE_PAYLOADS).map((payload) => [String(payload.meta()?.id), payload])),
  NoArgCommand,
  ...ROW_MODELS,
  TransferredTable,
  ServiceUnit,
  SystemUnavailable,
};
