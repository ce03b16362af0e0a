import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describeWhen } from './components.ts';
import { ROOT } from './sources.ts';

export const ROSMASTER = '/usr/bin/rosmaster';
const DEBIAN_MODULES = '/usr/lib/python3/dist-packages';
/** Debian's package of each Python module that the nodes import. */
const MODULES = {
  actionlib: 'python3-actionlib',
  actionlib_msgs: 'python3-actionlib-msgs',
  geometry_msgs: 'python3-geometry-msgs',
  move_base_msgs: 'python3-move-base-msgs',
  nav_msgs: 'python3-nav-msgs',
  rospy: 'python3-rospy',
  sensor_msgs: 'python3-sensor-msgs',
  std_msgs: 'python3-std-msgs',
  std_srvs: 'python3-std-srvs',
  tornado: 'python3-tornado',
} as const;

const COMPILER = '/usr/bin/g++';
/** A file of each package that move_base.cpp is compiled with. */
const CPP_FILES = {
  [COMPILER]: 'g++',
  '/usr/include/actionlib': 'libactionlib-dev',
  '/usr/include/move_base_msgs': 'libmove-base-msgs-dev',
  '/usr/include/nav_msgs': 'libnav-msgs-dev',
  '/usr/include/ros/ros.h': 'libroscpp-dev',
} as const;

function missingPackages(files: Readonly<Record<string, string>>): string[] {
  return Object.entries(files)
    .filter(([path]) => !existsSync(resolve(DEBIAN_MODULES, path)))
    .map(([, name]) => name);
}

/**
 * A suite that needs ROS 1, in C++ as well when it says so; it is skipped where that is absent, and fails on CI, see
 * {@link describeWhen}.
 */
export function describeWithRos1(name: string, suite: () => void, { cpp = false } = {}): void {
  const missing = missingPackages({ [ROSMASTER]: 'python3-rosmaster', ...MODULES, ...(cpp ? CPP_FILES : {}) });
  describeWhen(missing.length === 0, `${missing.join(', ')} not installed`, name, suite);
}

/** move_base.cpp, compiled when it has changed: that takes longer than what it is used for. */
export function compiledMoveBase(): string {
  const source = join(ROOT, 'test/support/ros1/move_base.cpp');
  const digest = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const folder = join(ROOT, 'node_modules/.cache/robot-rest');
  const program = join(folder, `move_base-${digest}`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const fresh = `${program}.${process.pid}`;
  const libraries = ['actionlib', 'roscpp', 'rosconsole', 'roscpp_serialization', 'rostime', 'boost_thread'];
  const args = ['-std=c++17', '-o', fresh, source, ...libraries.map((name) => `-l${name}`), '-lpthread'];
  execFileSync(COMPILER, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(fresh, program);
  return program;
}
