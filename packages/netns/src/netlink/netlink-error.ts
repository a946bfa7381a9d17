import { NetnsError } from '../handle/netns-error.ts'

const brand = Symbol.for('cni.NetlinkError')

/** Error for a netlink request that the kernel refused. Its `code` is the errno name. */
export class NetlinkError extends NetnsError {
  /** Details of the kernel's refusal. */
  readonly refusal: {
    /** Index of the refused message among the messages of a batch, from 0. */
    readonly index: number
    readonly errno: number
    /** Errno name of the refusal, such as `EEXIST`. */
    readonly code: string
    /** Text in which the kernel explains the refusal. Most refusals have no explanation. */
    readonly text?: string
    /** Offset of the invalid attribute in the request, in bytes from the first byte of the message. */
    readonly offset?: number
    /**
     * Bytes of the refused request, if the kernel returns the complete request. The kernel's ip_set code may have
     * written details into these bytes.
     */
    readonly request?: Buffer
  }
  readonly [brand] = true

  /** Creates the error. Its message starts with `what`, the description of the request. */
  constructor(what: string, refusal: NetlinkError['refusal']) {
    const { code, text } = refusal
    const hint = code === 'EPERM' ? ' (needs root: CAP_NET_ADMIN)' : ''
    super(code, `${what}: ${code}${text === undefined ? '' : `, ${text}`}${hint}`)
    this.refusal = refusal
  }
}

/** True for a {@link NetlinkError}, even if another copy of this package created the error. */
export function isNetlinkError(error: unknown): error is NetlinkError {
  return error instanceof Error && brand in error
}
