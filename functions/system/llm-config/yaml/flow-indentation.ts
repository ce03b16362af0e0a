/** Missing indentation of a line. */
export interface Pad {
  /** Start of the line. */
  readonly offset: number;
  /** Number of spaces to insert. */
  readonly blanks: number;
}

/** Limit on the inserted spaces of all lines together, so that a crafted file cannot grow without bound. */
const MAX_BLANKS = 4 * 1024 * 1024;

/**
 * YAML 1.2 requires every line of a flow collection or quoted scalar to be indented deeper than its key. PyYAML and
 * libyaml do not, and people close `[` at the margin. Finds the indentation that such lines lack; inserting it changes
 * no value. Undefined if that would take more than 4 MiB.
 */
export function missingIndentation(text: string): Pad[] | undefined {
  const scan = new Scan(text);
  scan.run();
  return scan.blanks > MAX_BLANKS ? undefined : scan.pads;
}

/** Scans just enough of a document to tell where flow collections and quoted scalars begin and end. */
class Scan {
  readonly pads: Pad[] = [];
  blanks = 0;
  readonly #text: string;
  #at = 0;
  #lineStart = 0;
  /** Column of the innermost enclosing block key or `-`; its content is indented deeper. */
  #parent = -1;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    if (this.#text.startsWith('\ufeff')) this.#startLine(1);
    while (this.#at < this.#text.length && this.blanks <= MAX_BLANKS) this.#blockLine();
  }

  /** One line in block context, including any multi-line node that starts on it. */
  #blockLine(): void {
    if (/^(?:---|\.\.\.)(?=\s|$)/.test(this.#text.slice(this.#at, this.#at + 4))) {
      this.#at += 3;
      this.#parent = -1;
    } else if (this.#text[this.#at] === '%') this.#at = this.#lineEnd(this.#at);
    for (;;) {
      this.#skipBlanks();
      const character = this.#text.charAt(this.#at);
      if (character === '' || isBreak(character)) break;
      if (character === '#') this.#at = this.#lineEnd(this.#at);
      else if ('-?:'.includes(character) && isSpace(this.#text.charAt(this.#at + 1))) {
        if (character !== ':') this.#parent = this.#at - this.#lineStart;
        this.#at += 1;
      } else if ('&*!'.includes(character)) this.#skipWord(false);
      else if ('|>'.includes(character) || !this.#key(character)) {
        this.#skipDeeperLines();
        return;
      }
    }
    this.#nextLine();
  }

  /**
   * A key with its colon, or a self-delimiting value. False for a plain scalar, which extends to the end of the line.
   */
  #key(character: string): boolean {
    const column = this.#at - this.#lineStart;
    const before = this.#lineStart;
    if (character === '"' || character === "'") this.#quoted(character);
    else if (character === '[' || character === '{') this.#flow();
    else if (!this.#plainKey()) return false;
    this.#skipBlanks();
    const hasColon = this.#text[this.#at] === ':' && isSpace(this.#text.charAt(this.#at + 1));
    if (hasColon && before === this.#lineStart) this.#parent = column;
    if (!hasColon) this.#skipToComment(); // anything else here is for the parser to reject
    return true;
  }

  /** Moves to the colon after a plain key. */
  #plainKey(): boolean {
    for (let at = this.#at; at < this.#text.length; at += 1) {
      const character = this.#text.charAt(at);
      if (isBreak(character) || (character === '#' && isSpace(this.#text.charAt(at - 1)))) return false;
      if (character !== ':' || !isSpace(this.#text.charAt(at + 1))) continue;
      this.#at = at;
      return true;
    }
    return false;
  }

  /** Skips the rest of a block scalar or multi-line plain scalar. */
  #skipDeeperLines(): void {
    this.#at = this.#lineEnd(this.#at);
    this.#nextLine();
    while (this.#at < this.#text.length) {
      const content = this.#contentOf(this.#at);
      const character = this.#text.charAt(content);
      if (character !== '' && !isBreak(character) && content - this.#lineStart <= this.#parent) return;
      this.#at = this.#lineEnd(content);
      this.#nextLine();
    }
  }

  #flow(): void {
    let depth = 0;
    let inPlain = false;
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (isBreak(character)) {
        if (!this.#nextFlowLine()) return;
      } else if (character === '#' && isSpace(this.#text.charAt(this.#at - 1))) {
        this.#at = this.#lineEnd(this.#at);
        inPlain = false;
      } else if ((character === '"' || character === "'") && !inPlain) this.#quoted(character);
      else if ('&*!'.includes(character) && !inPlain) this.#skipWord(true);
      else {
        this.#at += 1;
        if (character === '[' || character === '{') depth += 1;
        else if (character === ']' || character === '}') depth -= 1;
        if (depth === 0) return;
        const endsPlain = '[]{},'.includes(character) || (character === ':' && endsKey(this.#text.charAt(this.#at)));
        if (endsPlain) inPlain = false;
        else if (character !== ' ' && character !== '\t') inPlain = true;
      }
    }
  }

  #quoted(quote: string): void {
    this.#at += 1;
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (isBreak(character)) {
        if (!this.#nextFlowLine()) return;
      } else if (character === '\\' && quote === '"' && !isBreak(this.#text.charAt(this.#at + 1))) this.#at += 2;
      else if (character !== quote) this.#at += 1;
      else if (quote === "'" && this.#text[this.#at + 1] === "'") this.#at += 2;
      else {
        this.#at += 1;
        return;
      }
    }
  }

  /** False at the end of the document, which also ends any flow collection. */
  #nextFlowLine(): boolean {
    this.#nextLine();
    if (/^(?:---|\.\.\.)(?=\s|$)/.test(this.#text.slice(this.#at, this.#at + 4))) {
      this.#at = this.#text.length;
      return false;
    }
    const content = this.#contentOf(this.#at);
    const blanks = this.#parent + 1 - (content - this.#lineStart);
    if (blanks > 0 && !isBreak(this.#text.charAt(content))) {
      this.pads.push({ offset: this.#lineStart, blanks });
      this.blanks += blanks;
    }
    this.#at = content;
    return this.blanks <= MAX_BLANKS;
  }

  #skipWord(inFlow: boolean): void {
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (isSpace(character) || (inFlow && ',[]{}'.includes(character))) return;
      this.#at += 1;
    }
  }

  #skipToComment(): void {
    if (this.#text[this.#at] !== '#') this.#at = this.#lineEnd(this.#at);
  }

  #skipBlanks(): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at += 1;
  }

  #contentOf(lineStart: number): number {
    let content = lineStart;
    while (this.#text[content] === ' ') content += 1;
    return content;
  }

  #lineEnd(from: number): number {
    let end = from;
    while (end < this.#text.length && !isBreak(this.#text.charAt(end))) end += 1;
    return end;
  }

  #nextLine(): void {
    this.#startLine(this.#at + (this.#text.startsWith('\r\n', this.#at) ? 2 : 1));
  }

  #startLine(offset: number): void {
    this.#at = offset;
    this.#lineStart = offset;
  }
}

function isBreak(character: string): boolean {
  return character === '\n' || character === '\r';
}

/** White space, or the end of the text. */
function isSpace(character: string): boolean {
  return character === '' || ' \t\r\n'.includes(character);
}

function endsKey(following: string): boolean {
  return isSpace(following) || ',[]{}'.includes(following);
}
