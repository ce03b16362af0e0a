import type { ConsoleEntry, StopPorts } from './port.ts';

const HOST = /^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/**
 * The page of the robot. All its URLs are relative, so that it works behind any prefix, including that of a public
 * proxy that this process may never see.
 * @param videoUrl where it finds the camera (WHEP); undefined: there is none.
 */
export function consolePage(
  rawPath: string,
  { script, parts, style, icon }: ConsoleEntry,
  videoUrl: string | undefined,
): string {
  const folder = rawPath.endsWith('/') ? 'console/' : `${rawPath.slice(rawPath.lastIndexOf('/') + 1)}/console/`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Robot console</title>
<link rel="icon" type="image/svg+xml" href="${folder}${icon}">
<link rel="stylesheet" href="${folder}${style}">
${parts.map((part) => `<link rel="modulepreload" href="${folder}${part}">\n`).join('')}<script type="module" src="${folder}${script}"></script>
${videoUrl === undefined ? '' : `<meta name="robot-video" content="${videoUrl.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">\n`}</head>
<body>
<div id="console"></div>
<noscript>This page needs JavaScript. To stop the robot, use its hardware stop.</noscript>
</body>
</html>
`;
}

/**
 * What the page may do: load from this service alone, nothing inline, no HTML from strings (Trusted Types), and talk to
 * this service, to where stop is served besides, and to the video server (Content Security Policy Level 3).
 */
export function pagePolicy(host: string | undefined, stop: StopPorts | null, videoUrl: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    'media-src blob:',
    [
      "connect-src 'self'",
      ...stopOrigins(host, stop),
      ...(videoUrl === undefined ? [] : [new URL(videoUrl).origin]),
    ].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types robot-model',
  ].join('; ');
}

/** A host source cannot be an IPv6 address (section 2.3.1), so there the port alone counts. */
function stopOrigins(host = '', stop: StopPorts | null): string[] {
  const name = HOST.exec(host)?.[1];
  if (name === undefined || stop === null) return [];
  const source = name.startsWith('[') ? '*' : name;
  return [
    ...(stop.port === null ? [] : [`http://${source}:${stop.port}`]),
    ...(stop.tls_port === null ? [] : [`https://${source}:${stop.tls_port}`]),
  ];
}
