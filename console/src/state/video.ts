/** Where the camera is, as the page of the service says; undefined: there is none. */
export const videoUrl: string | undefined =
  document.querySelector<HTMLMetaElement>('meta[name="robot-video"]')?.content || undefined;
