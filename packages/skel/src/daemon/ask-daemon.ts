import { peerOf } from '@cni/netns/unix'
import { errnoOf, messageOf } from '@cni/types'
import { post } from './post.ts'

/**
 * Asks a daemon for data that the plugin can also determine itself. Never rejects: without an answer, returns the
 * reason. Asks only a daemon that runs as root or as the plugin's own user.
 *
 * @example
 * ```ts
 * import { definePlugin } from '@cni/skel'
 * import { askDaemon } from '@cni/skel/daemon'
 *
 * export const plugin = definePlugin({
 *   name: 'tag',
 *   async add(c) {
 *     const body = JSON.stringify({ pod: c.k8s })
 *     const { answer, reason } = await askDaemon('/run/tag.sock', { path: '/tag', body, signal: c.signal })
 *     if (answer === undefined) c.log.debug('the daemon does not answer', { reason })
 *     return { dns: { domain: answer ?? 'default.tag' } }
 *   },
 * })
 * ```
 */
export async function askDaemon(
  socket: string,
  question: {
    /** Path of the HTTP request to the daemon, such as `/decide`. */
    readonly path: string
    /** JSON body of the HTTP request to the daemon. */
    readonly body: string
    /** AbortSignal of the CNI call. Its abort ends the request to the daemon. */
    readonly signal: AbortSignal
    /**
     * Time limit in milliseconds for the first byte of the daemon's answer. Default: 100. A working daemon sends the
     * answer's head at once.
     */
    readonly begunWithin?: number
    /** Time limit in milliseconds for the daemon's whole answer. Default: 3000. */
    readonly within?: number
    /** Maximum size of the daemon's answer in bytes. Default: 16 MiB. */
    readonly maxBytes?: number
  },
): Promise<
  | {
      /** Body of the daemon's answer, if its HTTP status is 200. */
      readonly answer: string
      /** Reason why the daemon gave no answer. Never set together with `answer`. */
      readonly reason?: never
      /** Code of the system error with which the connection failed. Never set together with `answer`. */
      readonly code?: never
      /** HTTP answer of the daemon with a status other than 200. Never set together with `answer`. */
      readonly refusal?: never
    }
  | {
      /** Body of the daemon's answer. Never set together with `reason`. */
      readonly answer?: never
      /** Reason why the daemon gave no answer, for the log. */
      readonly reason: string
      /** Code of the system error with which the connection failed, such as `ENOENT`. */
      readonly code?: string
      /** HTTP answer of the daemon with a status other than 200. */
      readonly refusal?: {
        /** Status of the daemon's HTTP answer. */
        readonly status: number
        /** Body of the daemon's HTTP answer. */
        readonly body: string
      }
    }
> {
  const { path, body, begunWithin = 100, within = 3000, maxBytes, signal } = question
  const until = AbortSignal.timeout(within)
  try {
    const {
      status,
      statusText,
      body: answer,
    } = await post(socket, {
      ...{ path, body, begunWithin, signal: AbortSignal.any([signal, until]) },
      ...(maxBytes === undefined ? {} : { maxBytes }),
      admit: (connection) => refuseOthers(peerOf(connection).uid),
    })
    if (status === 200) return { answer }
    return { reason: `it answered ${status} ${statusText}`.trim(), refusal: { status, body: answer } }
  } catch (error) {
    if (until.aborted) return { reason: `no answer within ${within} ms` }
    const code = errnoOf(error)
    return { reason: WORDS[code ?? ''] ?? messageOf(error), ...(code === undefined ? {} : { code }) }
  }
}

// internal

function refuseOthers(uid: number): void {
  if (uid !== 0 && uid !== process.geteuid?.()) throw new Error(`user ${uid} listens there`)
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ECONNREFUSED: 'no program listens',
  EACCES: 'only root may connect',
}
