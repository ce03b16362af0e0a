import { effect } from '@preact/signals';
import { render } from 'preact';
import { Shell } from './shell/shell.tsx';
import { watchStopKey } from './shell/stop-key.ts';
import { watchCatalogue } from './state/commands.ts';
import { forgetCourses } from './state/courses.ts';
import { watchDriving } from './state/driving.ts';
import { status, watchLink } from './state/link.ts';
import { watchEvents } from './state/live.ts';
import { forgetMissions } from './state/missions.ts';
import { takePairingCode, view, watchRoute } from './state/route.ts';
import { joinSiblings, robot, signIn, stopOnly, wake } from './state/session.ts';
import { forgetStop } from './state/stop.ts';
import { texts } from './texts.ts';

function pairByLink(): void {
  const code = takePairingCode();
  if (code !== undefined) void signIn(code);
}

pairByLink();
window.addEventListener('hashchange', pairByLink);
watchLink();
watchRoute();
watchStopKey();
watchDriving();
watchEvents();
watchCatalogue();

effect(() => {
  const robotId = status.value?.robot_id;
  if (robotId !== undefined) joinSiblings(robotId);
});
effect(() => {
  if (robot.value) return;
  forgetCourses();
  forgetMissions();
});
effect(() => {
  if (!robot.value && !stopOnly.value) forgetStop();
});
effect(() => {
  const name = status.value?.name ?? 'Robot';
  document.title = robot.value ? `${texts.views[view.value]} · ${name}` : `${texts.login.title} · ${name}`;
});
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) wake();
});
window.addEventListener('online', wake);

const root = document.getElementById('console');
if (root) render(<Shell />, root);
