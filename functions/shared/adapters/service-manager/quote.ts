/** One word for a POSIX shell: whatever stands in it, the shell takes it as it is. */
export function quoteWord(word: string): string {
  if (word.includes('\0')) throw new TypeError('A word for a shell holds no NUL.');
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** SSH knows no argument lists: the far side's shell reads one line, so every word is quoted for it. */
export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}
