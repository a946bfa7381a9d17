import { coded, invalidType } from '../errors.ts'
import { percentBytes } from '../url/percent.ts'
import { URLSearchParams } from '../url/search-params.ts'
import { URL } from '../url/url.ts'
import { resolve } from './path/path.ts'

export { URL, URLSearchParams }

/** Converts a `file:` URL to a path. */
export function fileURLToPath(url: string | URL): string {
  if (typeof url !== 'string' && !(url instanceof URL)) {
    throw invalidType('path', 'of type string or an instance of URL', url)
  }
  const parsed = new URL(url)
  if (parsed.protocol !== 'file:') {
    throw coded(new TypeError('The URL must be of scheme file'), 'ERR_INVALID_URL_SCHEME')
  }
  if (parsed.hostname !== '') {
    throw coded(new TypeError('File URL host must be "localhost" or empty on linux'), 'ERR_INVALID_FILE_URL_HOST')
  }
  if (/%2f/i.test(parsed.pathname)) {
    throw coded(new TypeError('File URL path must not include encoded / characters'), 'ERR_INVALID_FILE_URL_PATH')
  }
  return decodeURIComponent(parsed.pathname)
}

export function pathToFileURL(path: string): URL {
  const trailing = path.endsWith('/') && path !== '/' ? '/' : ''
  return new URL(`file://${(resolve(path) + trailing).replace(/[%\\\n\r\t?#]/g, percentBytes)}`)
}

/** Converts a URL to options of `http.request`. */
export function urlToHttpOptions(url: URL): Record<string, unknown> {
  const { protocol, hostname, hash, search, pathname, href, port, username, password } = url
  return {
    protocol,
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    hash,
    search,
    pathname,
    path: `${pathname}${search}`,
    href,
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' && password === ''
      ? {}
      : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
  }
}

export default { URL, URLSearchParams, fileURLToPath, pathToFileURL, urlToHttpOptions }
