/** Quotes a word for a POSIX shell, so that it is taken literally. */
export function quoteWord(word: string): string {
  if (word.includes('\0')) throw new TypeError('A shell word cannot contain NUL.');
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** SSH passes a single command line to the remote shell, so every word has to be quoted. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}
