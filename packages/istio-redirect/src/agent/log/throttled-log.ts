import type { ScopedLog } from '../shared/deps.ts'

/** Log of a recurring failure and its recovery. An equal failure is logged again only after five minutes. */
export interface ThrottledLog {
  /** Logs a failure's message. Logs an equal message again only after five minutes. */
  failed(message: string, labels?: Readonly<Record<string, string | number>>): void
  /** Logs that the failure is over, if a failure was logged before. */
  worked(): void
}

/**
 * Creates a {@link ThrottledLog} that writes to `log`. `recovered` is the message after the end of a failure. `level` is the
 * log level of the lines about failures.
 */
export function throttledLog(
  log: ScopedLog,
  recovered: string,
  { level = 'warn' }: { readonly level?: 'warn' | 'error' } = {},
): ThrottledLog {
  let last: { readonly message: string; readonly at: number } | undefined
  let failures = 0
  return {
    failed(message, labels) {
      failures += 1
      if (last?.message === message && performance.now() - last.at < REPEAT_MS) return
      last = { message, at: performance.now() }
      log[level](message, { ...labels, failures })
    },
    worked() {
      if (failures > 0) log.info(recovered, { failures })
      failures = 0
      last = undefined
    },
  }
}

const REPEAT_MS = 300_000
