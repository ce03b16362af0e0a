import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SecretsExtension {
  /** What a function in its company finds in its environment. */
  readonly environment: { readonly PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: string; readonly AWS_SESSION_TOKEN: string };
  /** The secrets by their ARN; a test changes them as an operator would. */
  readonly secrets: Map<string, string>;
  /** Whether it answers 500, as it does when Secrets Manager refuses or cannot be reached. */
  broken: boolean;
  reads: number;
  stop(): void;
}

const TOKEN = 'session-token-of-the-function';

/** An ARN as Secrets Manager gives it. */
export const arnOf = (name: string) => `arn:aws:secretsmanager:eu-central-1:123456789012:secret:${name}-a1B2c3`;

/** Stands in for the AWS Parameters and Secrets Lambda Extension: the same request, the same answer. */
export async function startSecretsExtension(): Promise<SecretsExtension> {
  const server = createServer((request, response) => {
    extension.reads += 1;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const text = extension.secrets.get(searchParams.get('secretId') ?? '');
    const allowed = request.headers['x-aws-parameters-secrets-token'] === TOKEN;
    const found = pathname === '/secretsmanager/get' && text !== undefined;
    if (extension.broken || !found) response.writeHead(extension.broken ? 500 : 400).end('AccessDeniedException');
    else if (!allowed) response.writeHead(401).end();
    else response.end(JSON.stringify({ ARN: searchParams.get('secretId'), SecretString: text, VersionStages: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // as: a TCP server has no other kind of address
  const extension: SecretsExtension = {
    environment: { PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: String(port), AWS_SESSION_TOKEN: TOKEN },
    secrets: new Map(),
    broken: false,
    reads: 0,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
  return extension;
}
