/**
 * Generates the meshes of the starter robot: binary STL, in metres, made of boxes, cylinders and spheres. The files are
 * checked in; run this again after a change: `node scripts/robot-meshes.mjs`.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../robot/description/meshes/', import.meta.url));

const MESHES = {
  'base.stl': cylinder(0.18, 0.1, 40),
  'wheel.stl': cylinder(0.07, 0.03, 32),
  'caster.stl': sphere(0.03, 16, 8),
  'body.stl': box(0.2, 0.24, 0.3),
  'neck.stl': cylinder(0.03, 0.08, 24),
  'head.stl': sphere(0.12, 28, 14),
  'eye.stl': sphere(0.02, 14, 7),
  'lidar.stl': cylinder(0.04, 0.05, 24),
};

for (const [name, triangles] of Object.entries(MESHES)) writeFileSync(join(FOLDER, name), binaryStl(triangles));

/** A box centred on the origin. */
function box(x, y, z) {
  const corner = (bits) => [bits & 1 ? x / 2 : -x / 2, bits & 2 ? y / 2 : -y / 2, bits & 4 ? z / 2 : -z / 2];
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  return faces.flatMap((face) => quad(...face.map(corner)));
}

/** A cylinder along the z axis, centred on the origin. */
function cylinder(radius, height, sides) {
  const rim = (side, z) => onCircle(radius, side / sides, z);
  const [low, high] = [-height / 2, height / 2];
  return steps(sides).flatMap((side) => [
    ...quad(rim(side, low), rim(side + 1, low), rim(side + 1, high), rim(side, high)),
    [[0, 0, low], rim(side + 1, low), rim(side, low)],
    [[0, 0, high], rim(side, high), rim(side + 1, high)],
  ]);
}

/** A sphere centred on the origin, divided by latitude and longitude. */
function sphere(radius, meridians, parallels) {
  const point = (east, north) => {
    const angle = (north / parallels - 0.5) * Math.PI;
    return onCircle(radius * Math.cos(angle), east / meridians, radius * Math.sin(angle));
  };
  return steps(parallels).flatMap((north) =>
    steps(meridians).flatMap((east) =>
      quad(point(east, north), point(east + 1, north), point(east + 1, north + 1), point(east, north + 1)),
    ),
  );
}

function onCircle(radius, turn, z) {
  const angle = (turn % 1) * 2 * Math.PI;
  return [radius * Math.cos(angle), radius * Math.sin(angle), z];
}

function steps(count) {
  return Array.from({ length: count }, (_, index) => index);
}

/** Two triangles, counter-clockwise as seen from outside; only one if two corners coincide at a pole. */
function quad(a, b, c, d) {
  const same = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) < 1e-9;
  if (same(a, b)) return [[a, c, d]];
  if (same(c, d)) return [[a, b, c]];
  return [
    [a, b, c],
    [a, c, d],
  ];
}

/** 80 bytes of header, the count, and for each triangle its normal, its corners and two spare bytes; little-endian. */
function binaryStl(triangles) {
  const bytes = Buffer.alloc(84 + triangles.length * 50);
  bytes.write('starter robot, metres', 0, 'ascii');
  bytes.writeUInt32LE(triangles.length, 80);
  for (const [index, triangle] of triangles.entries()) {
    const numbers = [normal(triangle), ...triangle].flat();
    for (const [place, number] of numbers.entries()) bytes.writeFloatLE(number, 84 + index * 50 + place * 4);
  }
  return bytes;
}

function normal([a, b, c]) {
  const u = b.map((coordinate, axis) => coordinate - a[axis]);
  const v = c.map((coordinate, axis) => coordinate - a[axis]);
  const cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...cross);
  return cross.map((coordinate) => coordinate / length);
}
