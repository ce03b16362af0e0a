import type { MappingFile } from './mapping.schema.ts';

type Interface = 'msg' | 'srv' | 'action';
type TypedPlace = readonly [path: ReadonlyArray<string | number>, type: string | undefined, of: Interface];

/** Every type name that is not written as this generation of ROS writes it, with its place in the mapping. */
export function typeFaults({ ros, stop, commands }: MappingFile) {
  const places: TypedPlace[] = [
    ...stop.publish.map(({ type }, index): TypedPlace => [['stop', 'publish', index, 'type'], type, 'msg']),
    ...stop.service.map(({ type }, index): TypedPlace => [['stop', 'service', index, 'type'], type, 'srv']),
    [['stop', 'still', 'type'], stop.still?.type, 'msg'],
    ...Object.entries(commands).flatMap(([name, { service, publish, action, topic, relative_to }]): TypedPlace[] => [
      [['commands', name, 'service', 'type'], service?.type, 'srv'],
      [['commands', name, 'publish', 'type'], publish?.type, 'msg'],
      [['commands', name, 'action', 'type'], action?.type, 'action'],
      [['commands', name, 'topic', 'type'], topic?.type, 'msg'],
      [['commands', name, 'relative_to', 'type'], relative_to?.type, 'msg'],
    ]),
  ];
  return places.flatMap(([path, type, of]) => {
    const message = type === undefined ? undefined : typeProblem(ros, type, of);
    return message === undefined ? [] : [{ path, message }];
  });
}

function typeProblem(ros: 1 | 2, type: string, of: Interface): string | undefined {
  const parts = type.split('/');
  const [pkg, name] = [parts[0], parts.at(-1)];
  if (ros === 1) return parts.length === 2 ? undefined : `a type of ROS 1 has no middle part: ${pkg}/${name}`;
  return parts.length === 3 && parts[1] === of ? undefined : `a type of ROS 2 is written ${pkg}/${of}/${name} here`;
}
