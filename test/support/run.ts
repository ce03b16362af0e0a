import { execFile } from 'node:child_process';

/** Runs a program and gives what it wrote to stdout; rejects when it fails. */
export function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 16 * 1024 * 1024, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} failed: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}
