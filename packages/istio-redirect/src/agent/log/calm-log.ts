import type { ScopedLog } from '../part/services.ts'

/** Logs that something does not work, and that it works again, without repeating itself. */
export interface CalmLog {
  /** Logs the message as long as it is another one than before, or five minutes later. */
  failed(message: string, labels?: Readonly<Record<string, string | number>>): void
  /** Logs that it works again, if it had failed. */
  worked(): void
}

/** Settings of {@link calmLog}. */
export interface CalmLogOptions {
  /** Default `warn`. */
  readonly level?: 'warn' | 'error'
  /** Milliseconds that never go back. */
  readonly now?: () => number
}

/** A {@link CalmLog} that writes to `log`; `recovered` is the line for when it works again. */
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
