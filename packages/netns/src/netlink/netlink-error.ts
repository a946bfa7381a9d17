import { NetnsError } from '../handle/netns-error.ts'

const brand = Symbol.for('cni.NetlinkError')

/** Request that the kernel refused. Its `code` is the errno name. */
export class NetlinkError extends NetnsError {
  /** Reason of the refusal. */
  readonly refusal: {
    /** Index of the refused message among the messages sent together, from 0. */
    readonly index: number
    readonly errno: number
    /** Errno name: `EEXIST`. */
    readonly code: string
    /** The kernel's explanation. Most refusals have no explanation. */
    readonly text?: string
    /** Offset of the invalid attribute in the request, in bytes from the first byte of the message. */
    readonly offset?: number
    /**
     * The refused request, if the kernel returns it completely. The kernel may have written details into the request
     * (ip_set).
     */
    readonly request?: Buffer
  }
  readonly [brand] = true

  /** The error message starts with `what`, the description of the request. */
  constructor(what: string, refusal: NetlinkError['refusal']) {
    const { code, text } = refusal
    const hint = code === 'EPERM' ? ' (needs root: CAP_NET_ADMIN)' : ''
    super(code, `${what}: ${code}${text === undefined ? '' : `, ${text}`}${hint}`)
    this.refusal = refusal
  }
}

/** True for a {@link NetlinkError}, also from another copy of this package. */
export function isNetlinkError(error: unknown): error is NetlinkError {
  return error instanceof Error && brand in error
}
