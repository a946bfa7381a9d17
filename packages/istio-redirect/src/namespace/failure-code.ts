import { type IptablesError, isIptablesError } from '@cni/iptables'
import { isNftError, type NftError } from '@cni/nftables/wire'
import { CniError, ErrorCode, errnoOf, isCniError } from '@cni/types'

/** Adds a CNI error code to an error of the kernel or a program. */
export function withFailureCode(error: unknown): unknown {
  // Keeps an error that already has a CNI error code, and a thrown value that is not an `Error`.
  if (isCniError(error) || !(error instanceof Error)) return error
  if (isIptablesError(error)) {
    const details = error.stderr?.trim().slice(0, 2000)
    return new CniError(iptablesCodes[error.code] ?? ErrorCode.ioFailure, error.message, { details, cause: error })
  }
  if (isNftError(error)) {
    const code = nftCode(error)
    return code === undefined ? error : new CniError(code, error.message, { cause: error })
  }
  const code = errnoOf(error) ?? ''
  if (!/^(?:E[A-Z0-9]+|NO_FFI|NO_NSENTER)$/.test(code)) return error
  return new CniError(codes[code] ?? ErrorCode.ioFailure, error.message, { hint: hints[code], cause: error })
}

const iptablesCodes: Partial<Readonly<Record<IptablesError['code'], number>>> = {
  NO_BINARY: ErrorCode.pluginNotAvailable,
  NO_MODULE: ErrorCode.pluginNotAvailable,
  DENIED: ErrorCode.pluginNotAvailable,
}

/** Returns the CNI error code of an nftables error. `undefined` for an invalid batch, which is a bug of the plugin. */
function nftCode({ code, faults }: NftError): number | undefined {
  if (code === 'INVALID') return undefined
  if (code === 'DENIED' || code === 'UNSUPPORTED') return ErrorCode.pluginNotAvailable
  // The kernel lacks the module for a chain type or an expression of nftables.
  const isModule = faults.some(({ code, kind, part = '' }) => {
    return code === 'ENOENT' && (kind === 'chain' || (kind === 'rule' && /\((?!immediate|lookup)/.test(part)))
  })
  return isModule ? ErrorCode.pluginNotAvailable : ErrorCode.ioFailure
}

/** Map from an errno or another error code to a CNI error code. */
const codes: Readonly<Record<string, number>> = {
  NO_FFI: ErrorCode.pluginNotAvailable,
  NO_NSENTER: ErrorCode.pluginNotAvailable,
  ENOSYS: ErrorCode.pluginNotAvailable,
  EPERM: ErrorCode.pluginNotAvailable,
  EAGAIN: ErrorCode.tryAgainLater,
  EBUSY: ErrorCode.tryAgainLater,
  EINTR: ErrorCode.tryAgainLater,
  EMFILE: ErrorCode.tryAgainLater,
  ENFILE: ErrorCode.tryAgainLater,
  ENOBUFS: ErrorCode.tryAgainLater,
  ENOMEM: ErrorCode.tryAgainLater,
}

const hints: Readonly<Record<string, string>> = {
  ENOSYS: 'the kernel, or the sandbox that the plugin runs in (seccomp, gVisor), does not have this system call',
  ENETDOWN:
    'an interface of the pod is down: lo has to be up before, which is up to the runtime or the plugin loopback',
  ENODEV: 'an interface of the pod is gone, or has no part in this family',
  ELOOP: 'symbolic links lead in a circle',
}
