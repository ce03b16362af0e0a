import * as z from 'zod';

/**
 * Models of the SSH keys that open the robot (specification, section 2.2). The specification gives no endpoint for
 * them.
 */

/**
 * A line of authorized_keys (sshd(8), AUTHORIZED_KEYS FILE FORMAT): options or none, the type of the key, the key in
 * base64, a comment or none. The options may hold quoted blanks.
 */
const AUTHORIZED_KEY =
  /^(?:(?:[^\s"]|"(?:[^"\\]|\\.)*")+ +)?(?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[a-z0-9@.-]+ +[A-Za-z0-9+/]+={0,2}(?: [^\r\n]*)?$/;

/** A key to be let in. */
export const SSHKeyCreate = z
  .strictObject({
    public_key: z
      .string()
      .trim()
      .min(1)
      .regex(AUTHORIZED_KEY, 'One line in authorized_keys format: the type of the key, the key in base64, a comment.'),
  })
  .meta({
    id: 'SSHKeyCreate',
    unusedIO: 'input',
    example: {
      public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPBuVTPTGCr9XxYbNbPAlbY9Y4qnrTBEiP4SvsTfbYf ana@laptop',
    },
  });

/** A key that is let in. */
export const SSHKeyEntry = z
  .strictObject({
    id: z.int().describe('index of the key'),
    name: z.string(),
    created_at: z.iso.datetime({ offset: true }).nullable().describe('null when the date is unknown'),
    fingerprint: z.string(),
  })
  .meta({
    id: 'SSHKeyEntry',
    example: {
      id: 0,
      name: 'ana@laptop',
      created_at: '2026-03-01T09:30:00Z',
      fingerprint: 'SHA256:9GbQnSz0bJ1s4wZ2tTjUrp5T7F0SSyIPSFrpgZ2cW9E',
    },
  });
