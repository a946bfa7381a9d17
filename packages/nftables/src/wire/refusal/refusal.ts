import { type Channel, isNetlinkError, type NetlinkError } from '@cni/netns/netlink'
import { errnoOf, messageOf } from '@cni/types'
import { type Batch, messagesOf } from '../batch/batch.ts'
import { NftError } from '../nft-error.ts'
import { faultsOf } from './refusal-fault.ts'

const NEEDS_ROOT = 'needs root: CAP_NET_ADMIN in the namespace'
const NEEDS_KERNEL = 'the kernel has no nf_tables: it needs the module nf_tables'

// Errors for the whole batch, before the kernel looks at its messages.
const ERESTART = 85
const reasons = new Map<string, readonly [NftError['code'], string]>([
  ['EPERM', ['DENIED', NEEDS_ROOT]],
  ['EOPNOTSUPP', ['UNSUPPORTED', NEEDS_KERNEL]],
])

/** Maximum number of faults in the message. The error has all of them. */
const TOLD = 3

/** Error for a refused batch; `undefined` if it was committed. */
export function refused(
  batch: Batch,
  sent: Buffer,
  { refusals, lost }: ReturnType<Channel['exchange']>,
): NftError | undefined {
  if (refusals.length === 0 && !lost) return undefined
  const faults = faultsOf(messagesOf(batch).subjects, sent, refusals)
  const whole = refusals.find(({ index }) => index === 0)
  if (whole?.errno === ERESTART) {
    return new NftError('STALE', 'The rules have changed since they were read: ERESTART; nothing was done', { faults })
  }
  const reason = whole === undefined ? undefined : reasons.get(whole.code)
  if (reason !== undefined && refusals.length === 1) {
    return new NftError(reason[0], `Change nf_tables: ${whole?.code}, ${reason[1]}`, { faults })
  }
  const told = faults.slice(0, TOLD).map(({ text }) => text)
  const more = faults.length > TOLD ? [`and ${faults.length - TOLD} more`] : []
  const unheard = lost ? ['and others: the kernel reported more than the socket holds'] : []
  const text = [...told, ...more, ...unheard].join('; ')
  const error = new NftError('REFUSED', `nf_tables refused the changes, and made none of them: ${text}`, { faults })
  batches.set(error, sent)
  return error
}

/** Bytes of refused batches, for callers that can print the rules. */
const batches = new WeakMap<NftError, Buffer>()

/** Batch of an error, as it was sent; `undefined` for other errors. */
export const sentFor = (error: NftError): Buffer | undefined => batches.get(error)

/** Error for a refused request or dump. Returns other errors unchanged. */
export function requestRefused(error: unknown): unknown {
  if (isNetlinkError(error)) {
    const [code, hint] = codeOf(error)
    return new NftError(code, hint === undefined ? error.message : `${error.message}, ${hint}`, { cause: error })
  }
  // Every attempt of the dump was interrupted.
  return errnoOf(error) === 'EINTR' ? new NftError('CHANGED', messageOf(error), { cause: error }) : error
}

function codeOf({ code, refusal }: NetlinkError): readonly [NftError['code'], string?] {
  if (code === 'EPERM') return ['DENIED']
  if (code === 'ENOENT') return ['NOT_FOUND']
  // nfnetlink reports EINVAL for a missing subsystem.
  if (refusal.errno === EINVAL) return ['UNSUPPORTED', NEEDS_KERNEL]
  return ['REFUSED']
}

const EINVAL = 22
