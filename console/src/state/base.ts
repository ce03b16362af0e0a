/** Where the service is: the script of the page lies in `console/` below it, whatever a proxy puts in front. */
export const base = new URL('..', import.meta.url);
