import { afterAll, beforeAll } from '@jest/globals';
import { startTestService, type TestService } from './service.ts';

export const PYTHON = '/usr/bin/python3';

export const SOURCE = '@skill(access_level="ADMIN", description="Greet.")\ndef greet():\n    pass\n';

export let service: TestService;

export const folder = () => service.ports.config.SERVICE_SKILLS_DIR;

export function form(parts: string): { headers: Record<string, string>; body: string } {
  return { headers: { 'content-type': 'multipart/form-data; boundary=XX' }, body: `${parts}--XX--\r\n` };
}

export const part = (fileName: string, text = SOURCE) =>
  `--XX\r\nContent-Disposition: form-data; name="skill"; filename="${fileName}"\r\n\r\n${text}\r\n`;

/** One service for all tests of a file. */
export function useSkillService(): void {
  beforeAll(async () => {
    service = await startTestService({ settings: { SERVICE_SKILL_PYTHON: PYTHON } });
  });
  afterAll(() => service.stop());
}
