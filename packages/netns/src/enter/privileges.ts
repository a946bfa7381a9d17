import { readFileSync } from 'node:fs'

/** The capabilities that calls of this package take, by their bit. */
const bits = { CAP_SYS_CHROOT: 18n, CAP_SYS_ADMIN: 21n } as const

/** A capability by its name. */
export type Capability = keyof typeof bits

/** What to add to the message of a refused call: the capabilities it takes, and those of them that are not there. */
export function privilegeHint(errno: string, ...needed: readonly Capability[]): string {
  if (errno !== 'EPERM') return ''
  const names = needed.join(' and ')
  const effective = effectiveCapabilities()
  if (effective === undefined) return ` (needs ${names})`
  const missing = needed.filter((name) => ((effective >> bits[name]) & 1n) === 0n)
  if (missing.length > 0) return ` (needs ${names}: this process lacks ${missing.join(' and ')})`
  return ` (needs ${names}, also where a user namespace owns it; seccomp or a security module may forbid it as well)`
}

function effectiveCapabilities(): bigint | undefined {
  try {
    const digits = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/thread-self/status', 'latin1'))?.[1]
    return digits === undefined ? undefined : BigInt(`0x${digits}`)
  } catch {
    return undefined // only a hint is lost
  }
}
