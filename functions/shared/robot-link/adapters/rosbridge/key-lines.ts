import * as yaml from 'js-yaml';
import type { JsonPath } from '../../../kit/json.ts';

/**
 * The line (from 1) of each place in a YAML text. A place that is not in the text (it is missing, or came through an
 * alias) has the line of what should hold it.
 */
export function keyLines(text: string): (path: JsonPath) => number {
  const offsets = new Map<string, number>();
  note(text, yaml.parseEvents(text, {}), offsets);
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsets.get(JSON.stringify(path.slice(0, length).map(String)));
      if (offset !== undefined) return text.slice(0, offset).split('\n').length;
    }
    return 1;
  };
}

interface Level {
  readonly path: readonly string[];
  readonly isMap: boolean;
  count: number;
  key: string | undefined;
}

function note(text: string, events: readonly yaml.Event[], offsets: Map<string, number>): void {
  const levels: Level[] = [];
  const place = (level: Level, step: string, offset: number) => {
    const path = [...level.path, step];
    if (offset >= 0) offsets.set(JSON.stringify(path), offset);
    return path;
  };
  /** The path of the value that begins here; undefined for what is a key. */
  const enter = (event: yaml.Event, offset: number): readonly string[] | undefined => {
    const level = levels.at(-1);
    if (!level) return [];
    if (!level.isMap) {
      level.count += 1;
      return place(level, String(level.count - 1), offset);
    }
    if (level.key !== undefined) {
      const path = [...level.path, level.key];
      level.key = undefined;
      return path;
    }
    level.key = event.type === yaml.EVENT_ID.SCALAR ? yaml.getScalarValue(text, event) : '';
    place(level, level.key, offset);
    return undefined;
  };
  for (const event of events) {
    if (event.type === yaml.EVENT_ID.SCALAR) enter(event, event.valueStart);
    else if (event.type === yaml.EVENT_ID.ALIAS) enter(event, event.anchorStart);
    else if (event.type === yaml.EVENT_ID.MAPPING || event.type === yaml.EVENT_ID.SEQUENCE) {
      const path = enter(event, event.start) ?? [];
      levels.push({ path, isMap: event.type === yaml.EVENT_ID.MAPPING, count: 0, key: undefined });
    } else if (event.type === yaml.EVENT_ID.POP) levels.pop();
  }
}
