/** A packet that is none: an address, a port or a word of its text that cannot be. The message names it. */
class PacketError extends Error {
  readonly code = 'PARSE'
}

Object.defineProperty(PacketError.prototype, 'name', { value: 'PacketError', configurable: true })

/** Throws for a packet that is none. */
export function refuse(why: string): never {
  throw new PacketError(`packet: ${why}`)
}
