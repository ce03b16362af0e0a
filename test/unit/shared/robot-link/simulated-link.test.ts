import { openSimulatedRobot } from '../../../../functions/shared/robot-link/adapters/simulated/simulated-robot.ts';
import { robotLinkContract } from '../../../support/robot-link-contract.ts';
import { SIMULATED_SAMPLES } from '../../../support/simulated-samples.ts';

robotLinkContract('simulated', async () => {
  const link = openSimulatedRobot(Date.now);
  return {
    link,
    ...SIMULATED_SAMPLES,
    cut: async () => link.setConnected(false),
    mend: async () => link.setConnected(true),
    end: async () => link.close(),
  };
});
