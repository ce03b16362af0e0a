import type * as z from 'zod';
import type { Access } from '../access.ts';
import type { ErrorCode } from '../errors.ts';
import type { JsonValue } from '../kit/json.ts';
import type { Uses } from '../port.ts';
import type { Reply } from './reply.ts';

/** The parts of a request an endpoint reads, each with its schema. What has no schema is not accepted. */
export interface InputSpec {
  readonly path?: z.ZodType;
  readonly query?: z.ZodType;
  /** Named headers, lower case. */
  readonly headers?: z.ZodType;
  readonly body?: z.ZodType;
}

/** Schema of the JSON answer; where an answer has other forms, their media types, beside `json` when that is one. */
export type OutputSpec = z.ZodType | { readonly json?: z.ZodType; readonly mediaTypes: readonly string[] };

/** What a handler may return: the JSON value that `output` promises, or a {@link Reply} for what is more than that. */
export type Answer<O extends OutputSpec> =
  | Reply
  | (O extends z.ZodType
      ? Unchanged<z.input<O>>
      : O extends { readonly json: z.ZodType }
        ? Unchanged<z.input<O['json']>>
        : never);

/** A value that is only written out may as well be frozen. */
type Unchanged<T> = T extends object ? { readonly [K in keyof T]: Unchanged<T[K]> } : T;

/** Headers of answers that mean something to a program; the OpenAPI document describes them. */
type AnswerHeader = 'X-Total-Count' | 'X-Truncated';

/** An endpoint as declared: the pipeline, the OpenAPI document and the access test all read it. */
export interface EndpointSpec<
  A extends Access = Access,
  I extends InputSpec = InputSpec,
  U extends Uses = Uses,
  O extends OutputSpec = OutputSpec,
> {
  readonly access: A;
  /**
   * Concerns one robot, or nobody's in particular: in a fleet it also answers under `/{robot_id}/rest`, where everything
   * else is refused since it would act on the host.
   */
  readonly perRobot?: true;
  /**
   * Public, and yet under the path of a robot in a fleet more is known to callers with a valid token for it; any other
   * token is ignored.
   */
  readonly tokenOpensRobot?: true;
  /** Of the host of a fleet, and yet open to a token for any of its robots, and to API keys limited to robots. */
  readonly anyRobot?: true;
  readonly summary: string;
  readonly description?: string;
  readonly input?: I;
  readonly output: O;
  /** Answers with a secret: needs TLS, the Unix socket, or a trusted proxy that says it was reached over TLS. */
  readonly secretAnswer?: true;
  /** Headers of its answer that tell what the body does not. */
  readonly answerHeaders?: readonly AnswerHeader[];
  readonly uses?: U;
  /** `multipart`: the body stays bytes for the handler to take apart. Default `json`. */
  readonly bodyType?: 'json' | 'multipart';
  /** The body is handed over as it arrives, as a `Readable` of at most `maxBytes`; `body` of the input is `ByteStream`. */
  readonly bodyStream?: {
    readonly mediaType: StreamedType;
    /** Media types that are taken as well. */
    readonly alsoTaken?: readonly string[];
    readonly maxBytes: number;
    /** A small JSON document of this schema may come in its place; `body` of the input is then a union of both. */
    readonly json?: z.ZodType;
  };
  /** The body is a command: at most SERVICE_COMMAND_BODY_MAX bytes. */
  readonly commandBody?: boolean;
  /** The request may come without a body; the schema then sees `undefined`. */
  readonly bodyOptional?: boolean;
  /** Refuses integers beyond ±(2^53-1) anywhere in the body, told from its text: 1e16 is a double and passes. */
  readonly exactIntegers?: boolean;
  /** Takes any query: it means nothing here, and a stop must not fail because of one. */
  readonly anyQuery?: boolean;
  /**
   * A GET that changes something: it is not run for HEAD, and a browser's prefetch is refused. `some`: only some of its
   * requests do, of which the handler refuses a prefetch itself.
   */
  readonly effects?: 'all' | 'some';
  /** Worked off when it is parsed; everything else waits for the earlier requests of its connection. */
  readonly urgent?: boolean;
  /** Does not wait for the earlier requests of its connection; its answer does. */
  readonly unordered?: boolean;
  /** A client sends many of these a second: what it is refused is counted, and only logged at the level `debug`. */
  readonly frequent?: true;
  /** Action under which every request of a known caller is kept in the audit trail, refused ones too. */
  readonly audit?: string;
  /** Answers 201 rather than 200. */
  readonly created?: true;
  /** Answers 202: what it began goes on. */
  readonly accepted?: true;
  /** Its v1 responses contain a new token for clients whose own has less than 10 minutes left. */
  readonly renewsToken?: true;
  /** Error codes of its domain, for the OpenAPI document. The pipeline's own are added there. */
  readonly errors?: readonly ErrorCode[];
}

/** Media types of bodies that may be too large for memory. */
export type StreamedType =
  | 'text/csv'
  | 'application/vnd.sqlite3'
  | 'application/gzip'
  | 'application/xml'
  | 'application/octet-stream';

/** What the audit trail shall say of a request. */
export interface AuditNote {
  readonly action: string;
  readonly subject: Readonly<Record<string, JsonValue>>;
  /** How it ended, where that is neither `ok` nor an error. */
  outcome?: AuditOutcome;
}

/** How a command ended that was answered without an error, and that the robot does not say it carries out. */
export type AuditOutcome = 'declined' | 'sent';
