export const texts = {
  title: 'Model',
  label: 'The robot as its joints are now; drag to look around',
  loading: 'Loading the model…',
  no3d: 'This browser draws no 3D.',
  broken: 'The description of the robot could not be drawn.',
  missing: (count: number) => (count === 1 ? 'One mesh could not be loaded.' : `${count} meshes could not be loaded.`),
} as const;
