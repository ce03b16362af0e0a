/** Blanks that a line lacks, to be put in front of it. */
export interface Pad {
  /** Where the line starts. */
  readonly offset: number;
  readonly blanks: number;
}

/** Most blanks that are put in, all lines together: a crafted file must not grow without bound. */
const MAX_BLANKS = 4 * 1024 * 1024;

/**
 * YAML 1.2 wants every line of a flow collection or a quoted text indented deeper than its key; PyYAML and libyaml do
 * not care, and people close `[` at the margin. Finds what such lines lack; put in, it changes no value. Undefined when
 * that would be more than 4 MiB.
 */
export function missingIndentation(text: string): Pad[] | undefined {
  const scan = new Scan(text);
  scan.run();
  return scan.blanks > MAX_BLANKS ? undefined : scan.pads;
}

/** Reads just enough of a document to tell where flow collections and quoted texts begin and end. */
class Scan {
  readonly pads: Pad[] = [];
  blanks = 0;
  readonly #text: string;
  #at = 0;
  #lineStart = 0;
  /** Column of the innermost block key or `-` above; what belongs to it stands deeper. */
  #parent = -1;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    if (this.#text.startsWith('\ufeff')) this.#startLine(1);
    while (this.#at < this.#text.length && this.blanks <= MAX_BLANKS) this.#blockLine();
  }

  /** One line outside of flow collections, with what it begins. */
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

  /** A key with its colon, or a value that has an end of its own. False for plain text that goes on to the end of the line. */
  #key(character: string): boolean {
    const column = this.#at - this.#lineStart;
    const before = this.#lineStart;
    if (character === '"' || character === "'") this.#quoted(character);
    else if (character === '[' || character === '{') this.#flow();
    else if (!this.#plainKey()) return false;
    this.#skipBlanks();
    const hasColon = this.#text[this.#at] === ':' && isSpace(this.#text.charAt(this.#at + 1));
    if (hasColon && before === this.#lineStart) this.#parent = column;
    if (!hasColon) this.#skipToComment(); // whatever stands here is for the parser to judge
    return true;
  }

  /** Goes to the colon behind a plain key. */
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

  /** Passes over the rest of a block scalar, or of plain text over several lines. */
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

  /** False at the end of the document, which no flow collection outlives. */
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

/** A blank, a line break or the end of the text. */
function isSpace(character: string): boolean {
  return character === '' || ' \t\r\n'.includes(character);
}

function endsKey(following: string): boolean {
  return isSpace(following) || ',[]{}'.includes(following);
}
