import { NetnsError } from '../handle/netns-error.ts'
import type { Refusal } from './refusal.ts'

const brand = Symbol.for('cni.NetlinkError')

/** A request that the kernel refused; its `code` is the errno name. */
export class NetlinkError extends NetnsError {
  readonly refusal: Refusal
  readonly [brand] = true

  /** The message begins with the request in words. */
  constructor(what: string, refusal: Refusal) {
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
