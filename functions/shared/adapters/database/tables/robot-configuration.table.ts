import { type JsonText, json, strKey, table } from '../column.ts';

export interface RobotConfigurationTable {
  id: string;
  value: JsonText | null;
}

export const robotConfiguration = table<RobotConfigurationTable>('robot_configuration_table', {
  id: { ...strKey, maxLength: 64 },
  value: json,
});
