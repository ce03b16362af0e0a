/** What becomes of the file, and what the caller gets. */
export interface FileChange<T> {
  /** The new content, or undefined to leave the file alone. */
  readonly bytes: Buffer | undefined;
  readonly result: T;
}

/** The language-model configuration, a YAML file that people edit too. */
export interface LlmConfigFile {
  /** The content. @throws ServiceError `component_unavailable` when there is none, `config_unreadable` when it cannot be read. */
  read(): Promise<Buffer>;
  /**
   * Replaces the content by what `change` makes of it, one change after the other, other processes included. Whoever
   * reads the file sees the old or the new one, also after a loss of power; the previous one stays beside it (`.bak`).
   * @throws ServiceError as `read`, `busy` when the file was edited at the same moment; what `change` throws.
   */
  update<T>(change: (present: Buffer) => FileChange<T>): Promise<T>;
}

/** Largest file that is read or written: 1 MiB. */
export const MAX_LLM_CONFIG_BYTES = 1024 * 1024;
