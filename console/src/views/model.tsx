import '../shared.ts';
import { effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { AmbientLight, Color, DirectionalLight, GridHelper, PerspectiveCamera, Scene, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { joints } from '../state/live.ts';
import { loadRobotModel, type RobotModel } from '../state/robot-model.ts';
import { texts as t } from '../texts/model.ts';
import { sentencesOf } from '../ui/use-action.ts';

const MAX_PIXELS = 2;

/** The robot in three dimensions, moved by the topic `joints`; drawn only when something changes. */
export default function Model({ name }: { readonly name: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [notice, setNotice] = useState<string | undefined>(t.loading);
  useEffect(() => {
    let end = () => {};
    let isOver = false;
    loadRobotModel(name).then(
      (model) => {
        if (isOver || !box.current) return;
        setNotice(model.missing > 0 ? t.missing(model.missing) : undefined);
        try {
          end = show(model, box.current);
        } catch {
          setNotice(t.no3d);
        }
      },
      (error: unknown) => !isOver && setNotice(`${t.broken} ${sentencesOf(error)}`),
    );
    return () => {
      isOver = true;
      end();
    };
  }, [name]);
  return (
    <>
      <div ref={box} class="model" role="img" aria-label={t.label} />
      <p class="caption" role="status">
        <bdi>{notice}</bdi>
      </p>
    </>
  );
}

/** @returns a function that ends it. @throws Error where there is no WebGL. */
function show({ robot, center, radius }: RobotModel, box: HTMLElement): () => void {
  const renderer = new WebGLRenderer({ antialias: true, alpha: true });
  const scene = new Scene();
  const camera = new PerspectiveCamera(40, 1, radius / 100, radius * 100);
  camera.up.set(0, 0, 1);
  camera.position.set(center.x + radius * 2, center.y - radius * 1.6, center.z + radius * 1.1);
  const sun = new DirectionalLight(0xffffff, 2.2);
  sun.position.set(3, -2, 5);
  const floor = new GridHelper(
    Math.ceil(radius * 4),
    Math.ceil(radius * 4) * 4,
    new Color(0x8a93a1),
    new Color(0x8a93a1),
  );
  floor.rotation.x = Math.PI / 2;
  floor.material.opacity = 0.35;
  floor.material.transparent = true;
  scene.add(robot, floor, sun, new AmbientLight(0xffffff, 1.4));
  const controls = new OrbitControls(camera, renderer.domElement);
  controls.target.copy(center);
  controls.enableZoom = false;
  controls.enablePan = false;
  controls.update();
  renderer.domElement.style.touchAction = 'pan-y'; // the page scrolls on; a finger turns it sideways
  box.append(renderer.domElement);
  let asked = 0;
  const draw = () => {
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      renderer.render(scene, camera);
    });
  };
  const resize = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = box;
    if (clientWidth === 0 || clientHeight === 0) return;
    renderer.setPixelRatio(Math.min(MAX_PIXELS, window.devicePixelRatio));
    renderer.setSize(clientWidth, clientHeight);
    camera.aspect = clientWidth / clientHeight;
    camera.updateProjectionMatrix();
    draw();
  });
  resize.observe(box);
  controls.addEventListener('change', draw);
  const stopFollowing = effect(() => {
    const { names = [], positions = [] } = joints.value ?? {};
    for (const [n, name] of names.entries()) {
      const position = positions[n];
      if (position !== undefined && robot.joints[name]) robot.setJointValue(name, position);
    }
    box.dataset.pose = positions.map((position) => position.toFixed(3)).join(' ');
    draw();
  });
  return () => {
    stopFollowing();
    resize.disconnect();
    controls.dispose();
    cancelAnimationFrame(asked);
    renderer.dispose();
    renderer.forceContextLoss();
    renderer.domElement.remove();
  };
}
