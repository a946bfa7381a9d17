import { NetnsError } from '../handle/netns-error.ts'

const brand = Symbol.for('cni.NetlinkError')

/** A request that the kernel refused; its `code` is the errno name. */
export class NetlinkError extends NetnsError {
  /** Why the kernel refused the message. */
  readonly refusal: {
    /** Which of the messages that were sent together, from 0. */
    readonly index: number
    readonly errno: number
    /** Its name: `EEXIST`. */
    readonly code: string
    /** The kernel's own sentence; most refusals have none. */
    readonly text?: string
    /** Where in that message the attribute is that the kernel did not like: bytes from the message's first. */
    readonly offset?: number
    /** That message, where the kernel gives it back whole: what is wrong may be written into it (ip_set). */
    readonly request?: Buffer
  }
  readonly [brand] = true

  /** The message begins with the request in words. */
  constructor(what: string, refusal: NetlinkError['refusal']) {
    const { code, text } = refusal
    const hint = code === 'EPERM' ? ' (needs root: CAP_NET_ADMIN)' : ''
    super(code, `${what}: ${code}${text === undefined ? '' : `, ${text}`}${hint}`)
    this.refusal = refusal
  }
}

/** Is it a {@link NetlinkError}, also one of another copy of this package? */
export function isNetlinkError(error: unknown): error is NetlinkError {
  return error instanceof Error && brand in error
}
