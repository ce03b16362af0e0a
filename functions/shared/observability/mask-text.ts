/** Names of members that hold a secret, whatever command or robot they belong to. */
const SECRET = /pass|psk|secret|token|credential|api_?key|authorization/i;

/** Whether a value of this name is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

/** A secret said inside a text: `psk=…`, `"password": "…"`. */
const SAID =
  /(pass(?:word|phrase|wd)?|psk|secret|token|credential|api[_-]?key)(["']?\s{0,8}[:=]\s{0,8}["']?)[^,;&}"'\n]*/gi;
const MASK = '***';

/** A text without the secrets that are said in it by name. */
export function withoutSaidSecrets(text: string): string {
  return text.replace(SAID, `$1$2${MASK}`);
}

/** Secrets that are known by their form, wherever they are: what stays of each, and what is masked. */
const SHAPES: ReadonlyArray<readonly [shape: RegExp, instead: string]> = [
  [/\beyJ[\w.-]{16,}/g, 'eyJ***'], // JSON Web Tokens
  [/\brk_[\w-]{8,256}/g, 'rk_***'], // our API keys
  [/-----BEGIN ([A-Z ]{0,40}PRIVATE KEY)-----[^-]*/g, '-----BEGIN $1-----***'],
  [/\b((?:Bearer|Basic|Digest) {1,4})[\w.~+/=-]{6,4096}/gi, '$1***'],
  [/(#pair=)[\w-]{1,256}/g, '$1***'],
  [/(:\/\/[^\s/@:]{0,256}:)[^\s/@]{1,256}@/g, '$1***@'], // passwords inside URLs
];

/**
 * A text that may be handed to others: secrets are masked as far as they can be recognized, by their form or by the name
 * that is said before them. What nobody can tell from other text stays.
 */
export function maskText(text: string): string {
  return withoutSaidSecrets(SHAPES.reduce((masked, [shape, instead]) => masked.replace(shape, instead), text));
}

/** A JSON value as text for others, its secrets masked likewise, and those whose names say that they are some. */
export function maskedJson(value: unknown): string {
  const masking = (name: string, member: unknown) => {
    if (typeof member === 'string') return isSecretName(name) ? MASK : maskText(member);
    return member;
  };
  return `${JSON.stringify(value, masking, 2)}\n`;
}
