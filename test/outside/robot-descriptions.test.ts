import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { type Browser, chromium } from 'playwright-core';
import { CHROMIUM } from '../support/console-world.ts';
import { describeOutside, TOOLS } from '../support/outside/tools.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/sources.ts';
import { temporaryFolder } from '../support/world.ts';

/** What PyPI's example-robot-data and pybullet install. */
const DATA = join(TOOLS, 'robots/cmeel.prefix/share');
const PACKAGE = 'example-robot-data';
const PYBULLET_DATA = join(TOOLS, 'robots/pybullet_data');
const MESH = /\.(stl|dae|obj|mtl|png|jpe?g)$/i;

const ROBOTS = [
  { name: 'ANYmal C', urdf: 'robots/anymal_c_simple_description/urdf/anymal.urdf', textures: 17 },
  { name: 'ANYmal B', urdf: 'robots/anymal_b_simple_description/robots/anymal.urdf', textures: 2 },
  { name: 'ANYmal B with an arm', urdf: 'robots/anymal_b_simple_description/robots/anymal-kinova.urdf', textures: 2 },
  { name: 'AlienGo', urdf: 'pybullet_data/aliengo/aliengo.urdf', textures: 1 },
];

describeOutside(
  { tools: ['robots/cmeel.prefix/share', 'robots/pybullet_data'] },
  'Real ROS packages, with the stock loaders of three.js',
  () => {
    let service: TestService;
    let pages: Server;
    let origin: string;
    let browser: Browser;
    let folder: string;

    beforeAll(async () => {
      pages = await servePage(await bundledExample());
      origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`; // as: it listens on TCP
      folder = join(temporaryFolder(), 'description');
      cpSync(DATA, folder, { recursive: true });
      cpSync(PYBULLET_DATA, join(folder, PACKAGE, 'pybullet_data'), { recursive: true });
      service = await startTestService({
        settings: { SERVICE_DESCRIPTION_DIR: folder, SERVICE_CORS_ORIGINS: origin },
      });
      const args = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
      browser = await chromium.launch({ executablePath: CHROMIUM, args });
    });
    afterAll(async () => {
      await browser.close();
      pages.close();
      await service.stop();
    });

    /** Loads a robot in a page of another origin. */
    async function show(urdf: string) {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
      page.on('response', (response) => void (response.status() >= 400 && complaints.push(response.url())));
      page.setDefaultTimeout(300_000);
      await page.goto(origin);
      const seen = await page.evaluate(
        ([url, token, name]) => (globalThis as unknown as { example: { show: Show } }).example.show(url, token, name), // as: what the bundle sets
        [service.url, await service.token('USER'), urdf] as const,
      );
      if (process.env.SHOTS)
        await page.screenshot({ path: join(process.env.SHOTS, `${urdf.replace(/\W/g, '_')}.png`) });
      await page.close();
      return { ...seen, complaints };
    }

    describe.each(ROBOTS)('$name', ({ urdf, textures }) => {
      it('is listed, and drawn with all its textures', async () => {
        const path = `${PACKAGE}/${urdf}`;
        expect((await service.as('USER', '/api/v2/urdf/')).json.urdf).toContain(path);
        const { meshes, images, colours, complaints } = await show(path);
        expect(complaints).toEqual([]);
        expect(meshes).toBeGreaterThan(5);
        expect(images).toBe(textures);
        expect(colours).toBeGreaterThan(50);
      });
    });

    it('can be sent file by file', async () => {
      const [{ urdf } = { urdf: '' }] = ROBOTS;
      const from = join(DATA, PACKAGE, 'robots', urdf.split('/')[1] ?? '');
      const headers = { 'content-type': 'application/octet-stream' };
      const files = readdirSync(from, { recursive: true })
        .map(String)
        .filter((path) => MESH.test(path));
      expect(files.length).toBeGreaterThan(30);
      for (const path of files) {
        const body = readFileSync(join(from, path));
        const url = `/api/v2/meshes/sent/${encodeURIComponent(path)}`;
        expect([path, (await service.as('ADMIN', url, { method: 'PUT', headers, body })).status]).toEqual([path, 200]);
      }
    });
  },
);

type Show = (
  service: string,
  token: string,
  urdf: string,
) => Promise<{ meshes: number; images: number; colours: number }>;

/** The shipped example, with a look at what it has drawn. */
async function bundledExample(): Promise<string> {
  const folder = temporaryFolder('robot-rest-three-');
  cpSync(join(ROOT, 'examples/three-js'), folder, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const look = `
    import { draw, loadRobot } from './robot.js';
    globalThis.example = {
      async show(service, token, urdf) {
        const robot = await loadRobot(service, token, urdf);
        const canvas = document.querySelector('canvas');
        draw(robot, canvas);
        let meshes = 0;
        const images = new Set();
        robot.traverse(({ isMesh, material }) => {
          if (isMesh) meshes += 1;
          for (const one of [material ?? []].flat()) if (one.map?.image?.width > 0) images.add(one.map.image.src);
        });
        const flat = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
        flat.drawImage(canvas, 0, 0);
        const pixels = new Uint32Array(flat.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
        return { meshes, images: images.size, colours: new Set(pixels).size };
      },
    };`;
  const stdin = { contents: look, resolveDir: folder };
  const { outputFiles } = await build({ stdin, bundle: true, format: 'iife', write: false });
  return outputFiles[0]?.text ?? '';
}

/** A page with the canvas of the example. */
async function servePage(script: string): Promise<Server> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/example.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<canvas width="960" height="640"></canvas><script src="/example.js"></script>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
