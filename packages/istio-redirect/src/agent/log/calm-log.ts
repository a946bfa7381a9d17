import type { ScopedLog } from '../services.ts'

/** Says once that something does not work, and once that it works again. */
export interface CalmLog {
  failed(message: string, labels?: Readonly<Record<string, string | number>>): void
  worked(): void
}

/** Settings of {@link calmLog}. */
export interface CalmLogOptions {
  /** Default `warn`. */
  readonly level?: 'warn' | 'error'
  /** Milliseconds that never go back. */
  readonly now?: () => number
}

/** The same message again is worth a line every five minutes only. */
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
