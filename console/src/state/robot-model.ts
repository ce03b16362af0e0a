import { Box3, LoadingManager, type Material, Mesh, MeshStandardMaterial, type Object3D, Vector3 } from 'three';
import { ColladaLoader } from 'three/examples/jsm/loaders/ColladaLoader.js';
import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js';
import URDFLoader, { type URDFRobot } from 'urdf-loader';
import { ask } from './ask.ts';
import { base } from './base.ts';

interface MarkupPolicy {
  createHTML(text: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: MarkupPolicy): MarkupPolicy;
}

/** The only policy of the page: descriptions of robots are parsed as XML, and never become part of the page. */
const { trustedTypes } = window as { trustedTypes?: TrustedTypes }; // as: not in every browser, nor in the types
const asXml: MarkupPolicy = trustedTypes?.createPolicy('robot-model', { createHTML: (text) => text }) ?? {
  createHTML: (text) => text,
};

/** A robot as its description says, and how many of its meshes could not be had. */
export interface RobotModel {
  readonly robot: URDFRobot;
  readonly center: Vector3;
  /** In metres, from the center to the farthest part. */
  readonly radius: number;
  readonly missing: number;
}

/** @param name of the URDF. @throws RobotRestError; Error for what is no URDF. */
export async function loadRobotModel(name: string): Promise<RobotModel> {
  const path = name.split('/').map(encodeURIComponent).join('/');
  const { urdf }: { urdf: string } = await (await ask('GET', `api/v2/urdf/${path}?signed=true`)).json();
  const description = new DOMParser().parseFromString(asXml.createHTML(urdf), 'text/xml');
  const meshes: Promise<boolean>[] = [];
  const loader = new URDFLoader(new LoadingManager());
  loader.loadMeshCb = (url, _manager, material, onLoad) => {
    meshes.push(
      loadMesh(url, material).then(
        (mesh) => {
          onLoad(mesh);
          return true;
        },
        () => {
          onLoad(new Mesh());
          return false;
        },
      ),
    );
  };
  const robot = loader.parse(description);
  const loaded = await Promise.all(meshes);
  robot.updateMatrixWorld(true);
  const box = new Box3().setFromObject(robot);
  const center = box.getCenter(new Vector3());
  const radius = Math.max(0.1, box.getSize(new Vector3()).length() / 2);
  return { robot, center, radius: Number.isFinite(radius) ? radius : 1, missing: loaded.filter((one) => !one).length };
}

/** Signed: it needs no token. */
async function loadMesh(path: string, material: Material | null): Promise<Object3D> {
  const url = new URL(path, base);
  const response = await fetch(url, { credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' });
  if (!response.ok) throw new Error(`status ${response.status}`);
  if (/\.dae$/i.test(url.pathname)) {
    const xml = asXml.createHTML(await response.text());
    const collada = new ColladaLoader().parse(xml, new URL('.', url).href);
    if (!collada) throw new Error('no Collada');
    return collada.scene;
  }
  const geometry = new STLLoader().parse(await response.arrayBuffer());
  return new Mesh(geometry, material ?? new MeshStandardMaterial({ color: 0xb8bec8, roughness: 0.7 }));
}
