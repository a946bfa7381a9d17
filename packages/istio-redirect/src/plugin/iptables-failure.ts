import { type IptablesErrorCode, isIptablesError } from '@cni/iptables'
import { isNetnsError } from '@cni/netns'
import { CniError, ErrorCode, isCniError } from '@cni/types'

/**
 * Gives a failure to write rules the code that tells the runtime what to expect: without programs, kernel modules or system calls no pod
 * of the mesh can start (50), a held lock or a spent deadline clears up by itself (11), and rules the kernel refused are
 * a failed write (5). Anything else passes as it is.
 */
export async function withIptablesCode<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Drift has a code of its own.
    if (isCniError(error)) throw error
    if (isNetnsError(error) && (error.code === 'NO_FFI' || error.code === 'NO_NSENTER')) {
      throw new CniError(ErrorCode.pluginNotAvailable, error.message, { cause: error })
    }
    if (!isIptablesError(error)) throw error
    const details = error.stderr?.trim().slice(0, 2000)
    throw new CniError(codes[error.code] ?? ErrorCode.ioFailure, error.message, { details, cause: error })
  }
}

const codes: Partial<Readonly<Record<IptablesErrorCode, number>>> = {
  NO_BINARY: ErrorCode.pluginNotAvailable,
  NO_MODULE: ErrorCode.pluginNotAvailable,
  LOCKED: ErrorCode.tryAgainLater,
  TIMEOUT: ErrorCode.tryAgainLater,
  ABORTED: ErrorCode.tryAgainLater,
}
