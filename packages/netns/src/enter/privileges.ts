import { readFileSync } from 'node:fs'

/** Bit numbers of the Linux capabilities that this package needs. */
const bits = { CAP_SYS_CHROOT: 18n, CAP_SYS_ADMIN: 21n } as const

/** Name of a Linux capability, such as `CAP_SYS_ADMIN`. */
export type Capability = keyof typeof bits

/** Returns a hint for an error message: the needed capabilities, and the capabilities that this process lacks. */
export function privilegeHint(errno: string, ...needed: readonly Capability[]): string {
  if (errno !== 'EPERM') return ''
  const names = needed.join(' and ')
  const effective = effectiveCapabilities()
  if (effective === undefined) return ` (needs ${names})`
  const missing = needed.filter((name) => ((effective >> bits[name]) & 1n) === 0n)
  if (missing.length > 0) return ` (needs ${names}: this process lacks ${missing.join(' and ')})`
  return ` (needs ${names}, also in the user namespace that owns the network namespace; seccomp or a security module may also forbid the call)`
}

function effectiveCapabilities(): bigint | undefined {
  try {
    const digits = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/thread-self/status', 'latin1'))?.[1]
    return digits === undefined ? undefined : BigInt(`0x${digits}`)
  } catch {
    return undefined // without /proc, the hint cannot name the missing capabilities
  }
}
