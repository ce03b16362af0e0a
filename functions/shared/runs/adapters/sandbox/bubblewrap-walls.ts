import type { Config } from '../../../config.ts';

const MIB = 1024 * 1024;

/**
 * The arguments of bubblewrap that every run has. Besides a read-only /usr and the interpreter a skill sees nothing of
 * the machine: no network, no process, no bus, no folder. `--cap-drop ALL` and `--disable-userns` are what keeps it from
 * mounting its way out; /proc/sys would be writable for root.
 * @param folders what the interpreter needs outside of /usr.
 */
export function bubblewrapWalls(config: Config, folders: readonly string[]): string[] {
  const { LANG = 'C.UTF-8' } = config.childEnvironment;
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--new-session', '--hostname', 'robot', '--clearenv'],
    ...['--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'LANG', LANG, '--setenv', 'HOME', '/tmp'],
    ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
    ...['--symlink', 'usr/lib64', '/lib64'],
    // Before the interpreter, which may be below /tmp.
    ...['--size', String(config.SERVICE_SKILL_DISK_MB * MIB), '--tmpfs', '/tmp', '--chdir', '/tmp'],
    ...folders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--dev', '/dev', '--remount-ro', '/dev'],
  ];
}
