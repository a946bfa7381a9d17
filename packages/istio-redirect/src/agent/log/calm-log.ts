import type { ScopedLog } from '../part/services.ts'

/** Log of one recurring failure and its recovery, without repeated lines. */
export interface CalmLog {
  /** Logs the message if it differs from the last one, or after five minutes. */
  failed(message: string, labels?: Readonly<Record<string, string | number>>): void
  /** Logs the recovery if a failure was reported before. */
  worked(): void
}

/** Options of {@link calmLog}. */
export interface CalmLogOptions {
  /** Level of failures. Default `warn`. */
  readonly level?: 'warn' | 'error'
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Creates a {@link CalmLog} that writes to `log`. `recovered` is the line for the recovery. */
export function calmLog(log: ScopedLog, recovered: string, options: CalmLogOptions = {}): CalmLog {
  const { level = 'warn', now = () => performance.now() } = options
  let last: { readonly message: string; readonly at: number } | undefined
  let failures = 0
  return {
    failed(message, labels) {
      failures += 1
      if (last?.message === message && now() - last.at < repeatMs) return
      last = { message, at: now() }
      log[level](message, { ...labels, failures })
    },
    worked() {
      if (failures > 0) log.info(recovered, { failures })
      failures = 0
      last = undefined
    },
  }
}

const repeatMs = 300_000
