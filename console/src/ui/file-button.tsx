import type { ComponentChildren } from 'preact';
import { mayWrite } from '../state/link.ts';

interface FileButtonProps {
  /** Of the input element: which files are offered. */
  readonly accept: string;
  readonly isOff: boolean;
  readonly onFile: (file: File) => void;
  readonly children: ComponentChildren;
}

/** A button that takes a file for the service: off while that does not answer. The same file may be chosen again. */
export function FileButton({ accept, isOff, onFile, children }: FileButtonProps) {
  const isDisabled = isOff || !mayWrite.value;
  return (
    <label class={`file ${isDisabled ? 'off' : ''}`}>
      <input
        type="file"
        accept={accept}
        disabled={isDisabled}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) onFile(file);
          currentTarget.value = '';
        }}
      />
      {children}
    </label>
  );
}
