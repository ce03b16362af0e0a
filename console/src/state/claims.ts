/** For which robots a token is, as it says itself; nothing is verified here. */
export function audienceOf(token: string): string[] {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { aud }: { aud?: unknown } = JSON.parse(atob(payload));
    return [aud].flat().filter((one) => typeof one === 'string');
  } catch {
    return [];
  }
}
