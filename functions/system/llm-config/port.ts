import type { ConfigValue } from './yaml/config-value.ts';

/** The outcome of a change. */
export interface FileChange<T> {
  /** The new content, or undefined to leave the file alone. */
  readonly bytes: Buffer | undefined;
  readonly result: T;
}

/** The language-model configuration, a YAML file that people also edit by hand. */
export interface LlmConfigFile {
  /**
   * @throws ServiceError `component_unavailable` if the file does not exist, `config_unreadable` if it cannot be read.
   */
  read(): Promise<Buffer>;
  /**
   * Replaces the content by the result of `change`. Changes are serialized, also with those of other processes. Readers
   * see either the old or the new content, even after a power loss. The previous version is kept next to the file
   * (`.bak`).
   * @throws ServiceError as `read`, and `busy` if the file was edited concurrently; whatever `change` throws.
   */
  update<T>(change: (current: Buffer) => Promise<FileChange<T>>): Promise<T>;
}

/** A key and its new value. */
export interface KeyChange {
  readonly key: string;
  readonly value: ConfigValue;
}

/** A changed file, and the answer to the client who asked for it. */
export interface ChangedYaml {
  /** The same bytes if the key already had this value. */
  readonly bytes: Buffer;
  /** JSON text with `command`, `value` and `previous`. */
  readonly answer: string;
}

/** Parses and changes the bytes of the file. Large files take long, and hold up no other request. */
export interface YamlWork {
  /** The configuration as JSON text. @throws ServiceError `config_unreadable` with line and column. */
  toJson(bytes: Buffer): Promise<Buffer>;
  /** @throws ServiceError as `patch`, and as `toJson`. */
  change(bytes: Buffer, change: KeyChange): Promise<ChangedYaml>;
}

/** 1 MiB. */
export const MAX_LLM_CONFIG_BYTES = 1024 * 1024;
