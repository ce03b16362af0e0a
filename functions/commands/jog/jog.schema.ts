import * as z from 'zod';
import { JogFrame } from '../../shared/control/jog.schema.ts';

/**
 * Body of `POST /api/v2/jog/`. Any body is accepted, because an invalid frame counts as zero velocity and must reach the
 * robot as such; the OpenAPI document shows the schema of a valid one.
 */
export const AnyJogFrame = z.unknown().meta({
  id: 'JogFrame',
  example: {
    lease: 'Jd0oX2l1Q3mC9vB7nK5pTA',
    vx: 0.2,
    vy: 0,
    wz: -0.1,
    seq: 42,
    stamp: 'AAAAAAvYAAAAAAJtk1N0rTqVbqzvXQJq',
    deadline_ms: 300,
  },
  override({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
    const { $schema, ...shown } = z.toJSONSchema(JogFrame, { io: 'input' });
    Object.assign(jsonSchema, shown);
  },
});
