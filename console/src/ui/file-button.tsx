import type { ComponentChildren } from 'preact';
import { mayWrite } from '../state/link.ts';

interface FileButtonProps {
  /** Of the input element: which files are offered. */
  readonly accept: string;
  readonly isOff: boolean;
  readonly children: ComponentChildren;
  readonly onFile?: (file: File) => void;
  /** In place of `onFile`: takes several at a time. */
  readonly onFiles?: (files: readonly File[]) => void;
}

/** A button that takes files for the service: off while that does not answer. The same file may be chosen again. */
export function FileButton({ accept, isOff, children, onFile, onFiles }: FileButtonProps) {
  const isDisabled = isOff || !mayWrite.value;
  return (
    <label class={`file ${isDisabled ? 'off' : ''}`}>
      <input
        type="file"
        accept={accept}
        multiple={onFiles !== undefined}
        disabled={isDisabled}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = '';
          const [file] = files;
          if (!file) return;
          onFile?.(file);
          onFiles?.(files);
        }}
      />
      {children}
    </label>
  );
}
