import { useEffect } from 'preact/hooks';
import { watchHealth } from '../state/health.ts';
import { type Frames, isBasePose, joints, state } from '../state/live.ts';
import { texts } from '../texts.ts';
import { Card, Empty, Fact, Facts } from '../ui/card.tsx';
import { number } from '../ui/format.ts';
import { Lazy } from '../ui/lazy.tsx';
import { UnderWay } from './missions.tsx';
import { ModelCard } from './model-card.tsx';
import { AlertsCard, HealthCard, ServiceCard } from './overview-service.tsx';

const t = texts.overview;
const course = () => import('./course.tsx');
const POSE = { what: 'pose' } as const;
const BATTERY = { what: 'battery' } as const;

/** How the robot is. */
export function Overview() {
  useEffect(watchHealth, []);
  return (
    <>
      <AlertsCard />
      <div class="columns">
        <PoseCard />
        <BatteryCard />
        <MotionCard />
        <Card title={t.missions}>
          <UnderWay />
        </Card>
        <HealthCard />
        <ModelCard />
        <JointsCard />
        <ServiceCard />
      </div>
    </>
  );
}

function PoseCard() {
  const pose = state.value?.pose;
  if (!pose) {
    return (
      <Card title={t.pose}>
        <Empty>{t.noPose}</Empty>
      </Card>
    );
  }
  if (!isBasePose(pose)) return <FramesCard frames={pose} />;
  return (
    <Card title={t.pose}>
      <Facts>
        <Fact name="x">{number(pose.x)} m</Fact>
        <Fact name="y">{number(pose.y)} m</Fact>
        <Fact name="z">{number(pose.z)} m</Fact>
        <Fact name="θ">{number(pose.theta, 1)}°</Fact>
      </Facts>
      <div class="courses">
        <Lazy load={course} props={POSE} />
      </div>
    </Card>
  );
}

/** A robot that moves more than a base. */
function FramesCard({ frames }: { frames: Frames }) {
  return (
    <Card title={t.pose}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.frame}</th>
            {['x', 'y', 'z', 'roll', 'pitch', 'yaw'].map((name) => (
              <th key={name} scope="col" class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Object.entries(frames).map(([name, { x, y, z, roll, pitch, yaw }]) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              {[x, y, z].map((value, n) => (
                <td key={`m${n.toString()}`} class="num value">
                  {number(value)}
                </td>
              ))}
              {[roll, pitch, yaw].map((value, n) => (
                <td key={`d${n.toString()}`} class="num value">
                  {number(value, 0)}°
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function BatteryCard() {
  const battery = state.value?.battery;
  if (!battery) {
    return (
      <Card title={t.battery}>
        <Empty>{t.noBattery}</Empty>
      </Card>
    );
  }
  const level = number(battery.level, 0);
  return (
    <Card title={t.battery}>
      <p class={`figure value ${battery.level < 15 ? 'bad' : ''}`}>
        {level}
        <small> %</small>
        {battery.charging !== undefined && (
          <small class="muted"> {battery.charging ? t.charging : t.discharging}</small>
        )}
      </p>
      <Lazy load={course} props={BATTERY} />
    </Card>
  );
}

function MotionCard() {
  const { moving, velocity, power, driver } = state.value ?? {};
  return (
    <Card title={t.motion}>
      <p class="figure value">{moving === undefined ? texts.nothing : moving ? t.moving : t.still}</p>
      <Facts>
        {velocity && <Fact name={t.linear}>{number(velocity.linear)} m/s</Fact>}
        {velocity && <Fact name={t.angular}>{number(velocity.angular, 1)} °/s</Fact>}
        {power && <Fact name={t.power}>{power}</Fact>}
        {driver !== undefined && (
          <Fact name={t.driver}>
            <bdi>{driver}</bdi>
          </Fact>
        )}
      </Facts>
    </Card>
  );
}

function JointsCard() {
  const shown = joints.value;
  return (
    <Card title={t.joints}>
      {!shown || shown.names.length === 0 ? (
        <Empty>{t.noJoints}</Empty>
      ) : (
        <Facts>
          {shown.names.map((name, n) => (
            <Fact key={name} name={name}>
              {number(shown.positions[n])}
            </Fact>
          ))}
        </Facts>
      )}
    </Card>
  );
}
