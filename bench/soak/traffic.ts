import type { Client } from './client.ts';

const SKILL = '@skill(description="Soak.")\ndef soak():\n    pass\n';
export const TABLE = 'robots_table';
/** Ids from here on belong to the clients; lower ones are the large table that all clients read. */
export const FIRST_OWN_ID = 1_000_000;

type Act = (client: Client) => Promise<unknown>;

/** The actions of clients, with relative weights. */
const TRAFFIC: ReadonlyArray<readonly [weight: number, act: Act]> = [
  [30, command],
  [6, awaitMission],
  [4, awaitMissionAndHangUp],
  [4, readSlowly],
  [4, readAndHangUp],
  [4, readDocuments],
  [6, readRobot],
  [6, refresh],
  [4, sendStaleToken],
  [4, handleSkill],
  [8, handleRow],
  [1, moveTable],
  [4, readLogs],
  [3, followLogs],
  [4, changeSettings],
  [2, readAudit],
];
const ACTS = TRAFFIC.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));

/** A random action. */
export function actOnce(client: Client): Promise<unknown> {
  return client.random.pick(ACTS)(client);
}

const post = (kind: string, path: string, body: Record<string, unknown>) =>
  ({ kind, method: 'POST', path: `/api/v2/${path}/`, body }) as const;

async function command(client: Client) {
  await client.send(post('command', 'int', { command: 'sound_level', value: client.random.below(101) }));
  await client.send(post('command', 'coordinates', { command: 'go_to_relative', value: { x: 0.01 } }));
  await client.send({ kind: 'command', path: '/api/v2/get/get_pose' });
  await client.send({ ...post('wrong value', 'int', { command: 'sound_level', value: 500 }), expect: [422] });
}

async function startMission(client: Client): Promise<string> {
  const skill = { name: 'wait', seconds: 1 };
  const text = await client.send(post('mission start', 'dict', { command: 'skill', value: skill }));
  return text === undefined ? 'none' : String(JSON.parse(text).result.msg);
}

async function awaitMission(client: Client) {
  const value = await startMission(client);
  await client.send(post('mission wait', 'str', { command: 'wait_for_skill', value }));
}

async function awaitMissionAndHangUp(client: Client) {
  const value = await startMission(client);
  const hangUpAfter = 20 + client.random.below(200);
  await client.send({ ...post('mission hang-up', 'str', { command: 'wait_for_skill', value }), hangUpAfter });
  await client.send({ kind: 'mission cancel', path: '/api/v2/get/cancel_client_missions' });
}

const READ = `/api/v2/database/read/?tablename=${TABLE}`;

/** The number of concurrent reads of large tables is limited; further ones get `busy`. */
async function readSlowly(client: Client) {
  const slowly = 5 + client.random.below(20);
  await client.send({ kind: 'table, slowly', path: READ, slowly, expect: [200, 409] });
}

async function readAndHangUp(client: Client) {
  await client.send({
    kind: 'table, hang-up',
    path: READ,
    slowly: 20,
    hangUpAfter: 20 + client.random.below(300),
    expect: [200, 409],
  });
}

async function readDocuments(client: Client) {
  await client.send({ kind: 'openapi', path: '/openapi.json', slowly: client.random.below(10) });
  await client.send({ kind: 'status', path: '/status' });
  await client.send({ kind: 'metrics', path: '/metrics' });
}

async function readRobot(client: Client) {
  const text = await client.send({ kind: 'urdf', path: '/api/v2/urdf/pip.urdf' });
  if (text === undefined) return;
  const meshes = JSON.parse(text).meshes as string[]; // as: the answer's own shape
  for (const path of meshes) await client.send({ kind: 'mesh', path });
}

async function refresh(client: Client) {
  const text = await client.send({ kind: 'refresh', path: '/api/v2/auth/refresh/' });
  if (text !== undefined) client.token = String(JSON.parse(text).token);
}

async function sendStaleToken(client: Client) {
  const headers = { authorization: `Bearer ${client.token.slice(0, -4)}AAAA` };
  await client.send({ kind: 'bad token', path: '/api/v2/get/get_pose', headers, expect: [401] });
}

async function handleSkill(client: Client) {
  const skill = `soak_${client.id}`;
  const body = `--XX\r\nContent-Disposition: form-data; name="skill"; filename="${skill}.py"\r\n\r\n${SKILL}\r\n--XX--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=XX' };
  const path = '/api/v2/skill/upload/';
  await client.send({ kind: 'skill upload', method: 'POST', path, headers, body });
  // A half-sent upload, as when the network drops in the middle.
  const cut = { ...headers, 'content-length': '5000' };
  await client.send({ kind: 'skill cut', method: 'POST', path, headers: cut, body, hangUpAfter: 50 });
  await client.send({ kind: 'skill download', path: `/api/v2/skill/download/${skill}` });
  const remove = `/api/v2/skill/remove/?skill_name=${skill}`;
  await client.send({ kind: 'skill remove', method: 'DELETE', path: remove });
}

/** While a table is being imported, writes get `busy`, and a row may be missing or stale. */
async function handleRow(client: Client) {
  const key = { tablename: TABLE, item: { id: FIRST_OWN_ID + client.id } };
  const expect = [200, 409];
  const row = { ...key, item: { ...key.item, name: 'soak' } };
  await client.send({ ...post('row add', 'database/add_item', row), expect });
  const data = encodeURIComponent(JSON.stringify(key));
  const path = `/api/v2/database/read_item/?data=${data}`;
  await client.send({ kind: 'row read', path, expect: [200, 404] });
  const change = { ...key, attribute: 'name', new_value: 'changed' };
  const lacking = [...expect, 404];
  await client.send({ ...post('row update', 'database/update_item', change), method: 'PUT', expect: lacking });
  await client.send({ ...post('row delete', 'database/delete_item', key), method: 'DELETE', expect: lacking });
}

/** Exports the large table, and imports a small one; the second of two concurrent transfers gets `busy`. */
async function moveTable(client: Client) {
  const expect = [200, 409];
  await client.send({ ...post('export', 'database/export_table', { tablename: TABLE, path: 'soak.csv' }), expect });
  await client.send({
    ...post('import', 'database/import_table', { tablename: 'routes_table', path: 'routes.csv' }),
    expect,
  });
}

const UNITS = ['head/robot-rest.service', 'base/robot-nav.service'];

async function readLogs(client: Client) {
  const path = `/api/v2/service/${client.random.pick(UNITS)}`;
  await client.send({ kind: 'logs', path, slowly: client.random.below(10) });
  await client.send({ kind: 'units', path: '/api/v2/service/get_services_list' });
}

async function followLogs(client: Client) {
  const path = `/api/v2/service/${client.random.pick(UNITS)}?follow=true`;
  await client.send({ kind: 'logs followed', path, hangUpAfter: 50 + client.random.below(1500) });
}

async function changeSettings(client: Client) {
  await client.send(post('volume', 'volume', { percentage: { value: client.random.below(101) } }));
  const text = await client.send({ kind: 'llm read', path: '/api/v2/llm_config/' });
  if (text !== undefined) {
    const [key = '', value] = Object.entries(JSON.parse(text) as Record<string, unknown>)[0] ?? []; // as: a YAML map
    await client.send({ ...post('llm patch', 'llm_config', { command: key, value }), method: 'PATCH' });
  }
  await client.send({ kind: 'wifi list', path: '/api/v2/network/get_wifi_list' });
}

async function readAudit(client: Client) {
  await client.send({ kind: 'audit', path: '/api/v2/audit/?limit=20' });
}
