import { errnoOf } from '@cni/types'

/** Reason of a failed HTTP request, as a code and as text for people. */
export interface FailureWords {
  /** Name of the errno, or the error code of the JavaScript runtime; `''` if both are unknown. */
  readonly code: string
  readonly words: string
}

/** Describes a transport error for pod events, because the runtimes' messages address programmers. */
export function failureWords(error: unknown): FailureWords {
  const code = errnoOf(error) ?? ''
  return { code, words: words[code] ?? (notHttp.test(code) ? 'the answer is not HTTP' : 'the request failed') }
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  ECONNREFUSED: 'no server listens there',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'no route to that host',
  ELOOP: 'the symbolic links form a loop',
  EMFILE: 'this process has too many files open',
  ENAMETOOLONG: 'the path is too long for a socket',
  ENETDOWN: 'the network is down',
  ENETUNREACH: 'no route to that network',
  ENFILE: 'the node has too many files open',
  ENOENT: 'the socket does not exist',
  ENOTDIR: 'the socket does not exist',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'no DNS server answers',
  EPERM: 'permission denied',
  EPIPE: 'the connection was closed',
  EPROTO: 'the TLS handshake failed: does that port speak TLS?',
  ETIMEDOUT: 'no answer in time',
}

/** Pattern for error codes that report an invalid HTTP answer. Codes of Node's HTTP parser begin with `HPE_`. */
const notHttp = /^HPE_|HTTP|Header|Content|Chunk/i
