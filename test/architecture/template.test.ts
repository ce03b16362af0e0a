import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Endpoint } from '../../functions/shared/pipeline/endpoint.ts';
import { SETTINGS } from '../../functions/shared/settings.ts';
import { concretePaths } from '../../local-host/http/router.ts';
import { ROUTES } from '../../local-host/routes.ts';
import { intrinsics, parseTemplate } from '../support/cloudformation.ts';
import { ROOT } from '../support/sources.ts';

const template = parseTemplate(readFileSync(join(ROOT, 'template.yaml'), 'utf8'));
const { Parameters, Conditions, Globals, Resources } = template;

/** Of every type in use: what it may say, what it must say, and what `GetAtt` may ask it for. From AWS's references. */
const TYPES: Readonly<Record<string, { may: string; must: string; attributes: readonly string[] }>> = {
  'AWS::Serverless::Function': {
    must: 'CodeUri Description Environment Events LoggingConfig Role',
    may: 'Architectures Handler Layers MemorySize Runtime Timeout',
    attributes: ['Arn'],
  },
  'AWS::Serverless::HttpApi': {
    must: 'AccessLogSettings DefaultRouteSettings',
    may: 'RouteSettings StageName',
    attributes: [],
  },
  'AWS::Logs::LogGroup': { must: 'RetentionInDays', may: 'KmsKeyId LogGroupName', attributes: ['Arn'] },
  'AWS::IAM::Role': {
    must: 'AssumeRolePolicyDocument Policies',
    may: 'Description Path',
    attributes: ['Arn', 'RoleId'],
  },
  'AWS::CloudWatch::Alarm': {
    must: 'ComparisonOperator EvaluationPeriods Threshold TreatMissingData',
    may: 'AlarmActions AlarmDescription Dimensions Metrics MetricName Namespace OKActions Period Statistic',
    attributes: ['Arn'],
  },
};

const PSEUDO = /^AWS::(AccountId|NoValue|Partition|Region|StackName|URLSuffix)$/;
const PREFIXES = ['/rest', '/{robot_id}/rest'];

interface HttpEvent {
  readonly Type: string;
  readonly Properties: { readonly ApiId: unknown; readonly Method: string; readonly Path: string };
}
interface LambdaFunction {
  readonly CodeUri: string;
  readonly Timeout?: number;
  readonly Layers?: readonly unknown[];
  readonly Role: { readonly GetAtt: string };
  readonly LoggingConfig: { readonly LogGroup: { readonly Ref: string } };
  readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
  readonly Events: Readonly<Record<string, HttpEvent>>;
}
interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

const ofType = <T>(type: string) =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([name, { Properties }]) => [name, Properties as T] as const); // as: the tests below say whether it is one
const functions = ofType<LambdaFunction>('AWS::Serverless::Function');
const handlerOf = ({ CodeUri }: LambdaFunction) => basename(CodeUri);

function propertiesOf<T>(name: string): T {
  const resource = Resources[name];
  if (!resource) throw new Error(`template.yaml has no ${name}`);
  return resource.Properties as T; // as: the tests below say whether it is one
}

function statementsOf(role: string): Statement[] {
  const { Policies } = propertiesOf<{ Policies: { PolicyDocument: { Statement: Statement[] } }[] }>(role);
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

describe('Every resource of template.yaml', () => {
  it.each(Object.entries(Resources))('%s has the properties of its type', (_name, { Type, Properties }) => {
    const known = TYPES[Type];
    if (!known) throw new Error(`the type ${Type} is not known to this test`);
    const [must, may] = [known.must.split(' '), known.may.split(' ')];
    const given = Object.keys(Properties);
    expect(given.filter((property) => !must.includes(property) && !may.includes(property))).toEqual([]);
    expect(must.filter((property) => !given.includes(property))).toEqual([]);
  });
});

describe('The globals of template.yaml', () => {
  it('are properties of a function', () => {
    const known = TYPES['AWS::Serverless::Function'];
    expect(Object.keys(Globals.Function).filter((property) => !known?.may.split(' ').includes(property))).toEqual([]);
  });
});

describe('Every reference of template.yaml', () => {
  const exists = (name: string) => name in Parameters || name in Resources || PSEUDO.test(name);
  const attributeExists = (path: string) => {
    const [name = '', ...attribute] = path.split('.');
    return TYPES[Resources[name]?.Type ?? '']?.attributes.includes(attribute.join('.')) === true;
  };
  const used = [...intrinsics(template)];

  it('leads to something', () => {
    const lost = used.filter(([name, argument]) => {
      if (name === 'Ref') return !exists(String(argument));
      if (name === 'GetAtt') return !attributeExists(String(argument));
      if (name === 'If') return !(String((argument as unknown[])[0]) in Conditions);
      if (name !== 'Sub') return false;
      const variables = [...String(argument).matchAll(/\$\{([^!}][^}]*)\}/g)].map(([, variable = '']) => variable);
      return variables.some((variable) => !(variable.includes('.') ? attributeExists(variable) : exists(variable)));
    });
    expect(lost).toEqual([]);
    expect(used.length).toBeGreaterThan(100);
  });

  it('uses every parameter, condition and log group', () => {
    const targets = new Set(
      used.map(([name, argument]) => String(name === 'If' ? (argument as unknown[])[0] : argument)),
    );
    const named = [...Object.keys(Parameters), ...Object.keys(Conditions)];
    expect(named.filter((name) => !targets.has(name))).toEqual([]);
  });

  it('every parameter says what it is for', () => {
    const silent = Object.entries(Parameters).filter(([, { Description }]) => String(Description ?? '').length < 20);
    expect(silent).toEqual([]);
  });
});

describe('The functions of template.yaml', () => {
  it('answer the cloud rows of the route table, for one robot and for a fleet, and nothing else', async () => {
    const deployed: Record<string, Endpoint> = {};
    for (const [, properties] of functions) {
      const endpoint = await endpointOf(handlerOf(properties));
      for (const { Properties } of Object.values(properties.Events)) {
        const key = `${Properties.Method} ${Properties.Path}`;
        expect(deployed).not.toHaveProperty([key]);
        deployed[key] = endpoint;
      }
    }
    const table = ROUTES.filter(({ cloud }) => cloud).flatMap((route) =>
      concretePaths(route).flatMap((path) =>
        PREFIXES.map((prefix) => [`${route.method} ${prefix}${path.replace(/\/$/, '')}`, route.endpoint] as const),
      ),
    );
    expect(Object.keys(deployed).sort()).toEqual(table.map(([key]) => key).sort());
    for (const [key, endpoint] of table) expect([key, deployed[key] === endpoint]).toEqual([key, true]);
  });

  it('have routes as an HTTP API takes them: none that ends in a slash, and not more than 300', () => {
    const paths = functions.flatMap(([, { Events }]) => Object.values(Events).map(({ Properties }) => Properties.Path));
    expect(paths.filter((path) => path.endsWith('/'))).toEqual([]);
    expect(paths.length).toBeLessThanOrEqual(300);
  });

  it('are called by the one API, with events of payload version 2.0', () => {
    const events = functions.flatMap(([, { Events }]) => Object.values(Events));
    const shapes = new Set(
      events.map(({ Type, Properties: { Method: _method, Path: _path, ...rest } }) => JSON.stringify([Type, rest])),
    );
    // Version 2.0 is what an event gets that says nothing else.
    expect([...shapes]).toEqual([JSON.stringify(['HttpApi', { ApiId: { Ref: 'Api' } }])]);
  });

  it('run on arm64 and Node.js 22, from the file that the build writes, within the patience of the gateway', () => {
    expect(Globals.Function).toMatchObject({
      Runtime: 'nodejs22.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
    });
    for (const [, properties] of functions) {
      expect(properties.CodeUri).toMatch(/^dist-lambda\/[a-z0-9-]+\/$/);
      expect(properties.Timeout ?? Globals.Function.Timeout).toBeLessThanOrEqual(29);
    }
  });

  it('get settings that exist, and secrets by their name only', () => {
    const secret = ['SERVICE_JWT_SIGNING_KEY', 'SERVICE_API_KEYS', 'SERVICE_ROBOT_URL'];
    for (const [name, { Environment, Layers }] of functions) {
      const settings = Object.keys(Environment.Variables).filter((variable) => variable.startsWith('SERVICE_'));
      expect(settings.filter((setting) => !(setting in SETTINGS.shape))).toEqual([]);
      const secrets = settings.filter((setting) => secret.includes(setting));
      for (const setting of secrets) {
        expect(Environment.Variables[setting]).toEqual({ Ref: expect.stringMatching(/SecretArn$/) });
      }
      expect([name, Layers !== undefined]).toEqual([name, secrets.length > 0]);
    }
  });
});

describe('Permissions of template.yaml', () => {
  it('name every action and every resource; no wildcard, no policy of others', () => {
    for (const [role] of ofType('AWS::IAM::Role')) {
      expect(Object.keys(propertiesOf<object>(role))).not.toContain('ManagedPolicyArns');
      expect(JSON.stringify(statementsOf(role))).not.toContain('*');
    }
  });

  it('let a function read exactly the secrets that its settings name, and write to its own log group', () => {
    for (const [name, { Role, Environment, LoggingConfig }] of functions) {
      const role = Role.GetAtt.replace(/\.Arn$/, '');
      const named = Object.values(Environment.Variables).filter((value) => JSON.stringify(value).includes('SecretArn'));
      const expected = [
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: { GetAtt: `${LoggingConfig.LogGroup.Ref}.Arn` },
        },
        ...(named.length === 0 ? [] : [{ Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: named }]),
      ];
      expect([name, statementsOf(role)]).toEqual([name, expected]);
    }
  });
});

describe('Operation of template.yaml', () => {
  it('alarms on answers of 500 and above and on a stop that fails', () => {
    const alarms = Object.fromEntries(ofType<Record<string, unknown>>('AWS::CloudWatch::Alarm'));
    expect(alarms.ServerErrors).toMatchObject({
      Namespace: 'AWS/ApiGateway',
      MetricName: '5xx',
      Dimensions: [{ Name: 'ApiId', Value: { Ref: 'Api' } }],
    });
    expect(JSON.stringify(alarms.StopFailures)).toContain('{"Name":"FunctionName","Value":{"Ref":"Stop"}}');
  });

  it('gives stop a throttle of its own under every path it has', () => {
    const { RouteSettings } = propertiesOf<{ RouteSettings: Record<string, unknown> }>('Api');
    const stop = propertiesOf<LambdaFunction>('Stop');
    const routes = Object.values(stop.Events).map(({ Properties }) => `${Properties.Method} ${Properties.Path}`);
    expect(Object.keys(RouteSettings).sort()).toEqual(routes.sort());
  });

  it('logs the pattern of a route and never its path, whose query is the client’s', () => {
    const { Format } = propertiesOf<{ AccessLogSettings: { Format: string } }>('Api').AccessLogSettings;
    expect(JSON.parse(Format)).toMatchObject({ route: '$context.routeKey' });
    expect(Format).not.toMatch(/\$context\.path|querystring|authorizer/i);
  });
});

async function endpointOf(name: string): Promise<Endpoint> {
  const files = readdirSync(join(ROOT, 'functions'), { recursive: true, encoding: 'utf8' });
  const found = files.filter((file) => basename(file) === `${name}.handler.ts`);
  expect([name, found.length]).toEqual([name, 1]);
  const { handler } = (await import(join(ROOT, 'functions', found[0] ?? ''))) as { handler: Endpoint }; // as: every *.handler.ts exports one
  return handler;
}
