import {
  AmbientLight,
  Box3,
  DirectionalLight,
  FileLoader,
  LoadingManager,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { MTLLoader } from 'three/addons/loaders/MTLLoader.js';
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js';
import URDFLoader from 'urdf-loader';

/**
 * Loads a robot with its meshes and textures. The loader sends no token: the URDF comes with signed URLs.
 * @param {string} service where the service is, `https://robot.local:8443`; SERVICE_CORS_ORIGINS must list this page.
 * @param {string} token of any level; it only has to be valid now.
 * @param {string} urdf a name from `GET /api/v2/urdf/`.
 */
export async function loadRobot(service, token, urdf) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${service}/api/v2/urdf/${encodeURIComponent(urdf)}?signed=true`, { headers });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail);
  return new Promise((resolve, reject) => {
    const missing = [];
    const manager = new LoadingManager();
    const loader = new URDFLoader(manager);
    loader.workingPath = new URL(service).origin; // the URLs are path-absolute
    loader.loadMeshCb = (url, manager, material, done) =>
      url.endsWith('.obj') ? loadObj(url, manager, done) : loader.defaultMeshLoader(url, manager, material, done);
    manager.onError = (url) => missing.push(url.replace(/~[^/]+/, '~…')); // a signature belongs in no log
    manager.itemStart(urdf); // so that a robot without meshes is loaded as well
    const robot = loader.parse(body.urdf);
    manager.onLoad = () => (missing.length > 0 ? reject(new Error(`Not loaded: ${missing}`)) : resolve(robot));
    manager.itemEnd(urdf);
  });
}

/** Loads an OBJ with its materials and textures, for which the URDF loader has no loader of its own. */
function loadObj(url, manager, done) {
  const fail = (error) => done(null, error);
  const withMaterials = (text) => {
    const [, name] = /^mtllib (.+)$/m.exec(text) ?? [];
    if (name === undefined) return done(new OBJLoader(manager).parse(text));
    const folder = url.slice(0, url.lastIndexOf('/') + 1);
    const colour = (materials) => done(new OBJLoader(manager).setMaterials(materials).parse(text));
    return new MTLLoader(manager).setPath(folder).load(name.trim(), colour, undefined, fail);
  };
  new FileLoader(manager).load(url, withMaterials, undefined, fail);
}

/** Draws a robot into a canvas, seen from its front left. */
export function draw(robot, canvas) {
  robot.rotation.x = -Math.PI / 2; // in ROS z is up, here y
  const scene = new Scene();
  const light = new DirectionalLight(0xffffff, 3);
  light.position.set(1, 2, 1.5);
  scene.add(robot, light, new AmbientLight(0xffffff, 1.5));
  robot.updateMatrixWorld(true);
  const box = new Box3().setFromObject(robot);
  const center = box.getCenter(new Vector3());
  const distance = box.getSize(new Vector3()).length();
  const camera = new PerspectiveCamera(45, canvas.width / canvas.height, distance / 100, distance * 10);
  camera.position.copy(center).add(new Vector3(1, 0.5, 0.8).setLength(1.3 * distance));
  camera.lookAt(center);
  const renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  renderer.setClearColor(0xf4f4f4);
  renderer.render(scene, camera);
}
