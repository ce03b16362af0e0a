/**
 * The page at /docs. All its URLs are relative, so that it works behind any prefix, including that of a public proxy
 * that this process may never see.
 */
export function docsPage(rawPath: string): string {
  const folder = rawPath.endsWith('/') ? '' : 'docs/';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Robot API</title>
<link rel="icon" type="image/png" href="${folder}favicon-32x32.png">
<link rel="stylesheet" href="${folder}swagger-ui.css">
</head>
<body>
<main id="ui"></main>
<noscript>This page needs JavaScript. The document it shows is at openapi.json.</noscript>
<script src="${folder}swagger-ui-bundle.js"></script>
<script src="${folder}start.js"></script>
</body>
</html>
`;
}

/**
 * Starts the page. Its requests go to the origin and prefix the page was loaded from. Tokens typed into it are secrets
 * (specification, section 5.13) and are only kept in the memory of the page.
 */
export const START_SCRIPT = `'use strict';
const documentUrl = new URL('../openapi.json', document.currentScript.src);
fetch(documentUrl)
  .then((response) => response.json())
  .then((spec) => {
    const base = documentUrl.pathname.slice(0, -'/openapi.json'.length);
    window.SwaggerUIBundle({
      spec: { ...spec, servers: [{ url: base === '' ? '/' : base }] },
      dom_id: '#ui',
      docExpansion: 'none', // with all of them open the viewer never finishes drawing
      deepLinking: true,
      persistAuthorization: false,
      queryConfigEnabled: false,
      validatorUrl: null,
    });
  })
  .catch((error) => {
    document.getElementById('ui').textContent = 'Could not load openapi.json: ' + error.message;
  });
`;

/** The page only loads from this service, and nothing inline. Swagger UI has some icons as data URLs. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
