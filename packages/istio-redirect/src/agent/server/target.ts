import type { IncomingMessage } from 'node:http'

/** Parses the target of a request. The target may be any text, so it is not parsed as a URL. */
export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>): { path: string; query: URLSearchParams } {
  const [path = '', ...query] = url.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query.join('?')) }
}
