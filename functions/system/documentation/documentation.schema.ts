import * as z from 'zod';

/** A cache asks whether what it has is still right (RFC 9110, section 13.1.2). */
export const Revalidation = z.object({
  'if-none-match': z.string().max(1000).optional().describe("entity tags of the client's copies"),
});

export const DocsFilePath = z.object({
  file: z.string().max(100).describe('name of one file of the page').meta({ example: 'swagger-ui.css' }),
});
