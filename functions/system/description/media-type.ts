const MEDIA_TYPES: Readonly<Record<string, string>> = {
  stl: 'model/stl',
  dae: 'model/vnd.collada+xml',
  obj: 'model/obj',
  mtl: 'model/mtl',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
};

/** The media types of mesh responses. Unknown files, such as glTF buffers, are sent as octet streams. */
export const MESH_MEDIA_TYPES = [...new Set(Object.values(MEDIA_TYPES)), 'application/octet-stream'];

/** The media type of a mesh or texture, by its extension. */
export function mediaTypeOf(path: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return (Object.hasOwn(MEDIA_TYPES, extension) && MEDIA_TYPES[extension]) || 'application/octet-stream';
}
