import { draw, loadRobot } from './robot.js';

const form = document.querySelector('form');
const status = document.querySelector('[role=status]');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { service, key, urdf } = Object.fromEntries(new FormData(form));
  form.elements.key.value = ''; // neither it nor the token is kept
  status.textContent = 'Loading …';
  try {
    const answer = await fetch(`${service}/api/v2/auth/`, { headers: { 'x-api-key': key } });
    const { token, detail } = await answer.json();
    if (!answer.ok) throw new Error(detail);
    draw(await loadRobot(service, token, urdf), document.querySelector('canvas'));
    status.textContent = `This is ${urdf}.`;
  } catch (error) {
    const hint = `Is ${service} right, and does SERVICE_CORS_ORIGINS of the service list ${location.origin}?`;
    status.textContent = error instanceof TypeError ? `${error.message}. ${hint}` : error.message;
  }
});
