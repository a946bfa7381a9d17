import { errnoOf } from '@cni/types'

/** Reason of a failed request. */
export interface FailureWords {
  /** Errno name, or the runtime's error code; `''` if unknown. */
  readonly code: string
  readonly words: string
}

/**
 * Describes a transport's error in our own words, which appear in the events of a pod.
 * The runtimes' messages address programmers ("pass `verbose: true` in the second argument to fetch()"). The code is
 * the same on all runtimes.
 */
export function failureWords(error: unknown): FailureWords {
  const code = errnoOf(error) ?? ''
  return { code, words: words[code] ?? (notHttp.test(code) ? 'the answer is not HTTP' : 'the request failed') }
}

const words: Readonly<Record<string, string>> = {
  EACCES: 'it may not be connected to',
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to that host',
  ELOOP: 'symbolic links lead in a circle',
  EMFILE: 'this process has too many files open',
  ENAMETOOLONG: 'the path is too long for a socket',
  ENETDOWN: 'the network is down',
  ENETUNREACH: 'there is no way to that network',
  ENFILE: 'the node has too many files open',
  ENOENT: 'there is no such socket',
  ENOTDIR: 'there is no such socket',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'no name server answers',
  EPERM: 'it may not be connected to',
  EPIPE: 'the connection was cut',
  EPROTO: 'the TLS handshake failed: does that port speak TLS?',
  ETIMEDOUT: 'nobody answers there',
}

/** Error codes of Node's parser begin with HPE. */
const notHttp = /^HPE_|HTTP|Header|Content|Chunk/i
