import { type Channel, isNetlinkError, type NetlinkError } from '@cni/netns/netlink'
import { errnoOf, messageOf } from '@cni/types'
import { type Batch, messagesOf } from '../batch/batch.ts'
import { NftError } from '../nft-error.ts'
import { faultsOf } from './refusal-fault.ts'

const NEEDS_ROOT = 'needs root: CAP_NET_ADMIN in the namespace'
const NEEDS_KERNEL = 'the kernel has no nf_tables: it needs the module nf_tables'

// Errors by which the kernel refuses a whole batch before it reads the batch's messages.
const ERESTART = 85
const reasons = new Map<string, readonly [NftError['code'], string]>([
  ['EPERM', ['DENIED', NEEDS_ROOT]],
  ['EOPNOTSUPP', ['UNSUPPORTED', NEEDS_KERNEL]],
])

/** Maximum number of faults in an error's message. The error's `faults` has all of them. */
const MAX_SHOWN = 3

/** Creates the error for a batch that the kernel refused. Returns `undefined` if the kernel committed the batch. */
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
  const shown = faults.slice(0, MAX_SHOWN).map(({ text }) => text)
  const more = faults.length > MAX_SHOWN ? [`and ${faults.length - MAX_SHOWN} more`] : []
  const unheard = lost ? ['and others: the kernel reported more than the socket holds'] : []
  const text = [...shown, ...more, ...unheard].join('; ')
  const error = new NftError('REFUSED', `nf_tables refused the changes, and made none of them: ${text}`, { faults })
  batches.set(error, sent)
  return error
}

/** Map from an error to the bytes of the refused batch. The bytes contain the refused rules, for the error's text. */
const batches = new WeakMap<NftError, Buffer>()

/** Bytes of the refused batch that caused an error. `undefined` for other errors. */
export const sentFor = (error: NftError): Buffer | undefined => batches.get(error)

/** Converts the error of a refused request or dump to an `NftError`. Returns other errors unchanged. */
export function requestRefused(error: unknown): unknown {
  if (isNetlinkError(error)) {
    const [code, hint] = codeOf(error)
    return new NftError(code, hint === undefined ? error.message : `${error.message}, ${hint}`, { cause: error })
  }
  // EINTR: changes of other processes interrupted every attempt of the dump.
  return errnoOf(error) === 'EINTR' ? new NftError('CHANGED', messageOf(error), { cause: error }) : error
}

function codeOf({ code, refusal }: NetlinkError): readonly [NftError['code'], string?] {
  if (code === 'EPERM') return ['DENIED']
  if (code === 'ENOENT') return ['NOT_FOUND']
  // nfnetlink reports EINVAL if the kernel lacks the subsystem nf_tables.
  if (refusal.errno === EINVAL) return ['UNSUPPORTED', NEEDS_KERNEL]
  return ['REFUSED']
}

const EINVAL = 22
