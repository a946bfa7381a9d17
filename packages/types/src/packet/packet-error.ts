const brand = Symbol.for('cni.packet.error')

/** A packet that is none: an address, a port or a word of its text that cannot be. The message names it. */
export class PacketError extends Error {
  readonly code = 'PARSE'
}

Object.defineProperty(PacketError.prototype, 'name', { value: 'PacketError', configurable: true })
Object.defineProperty(PacketError.prototype, brand, { value: true })

/** Whether `error` is a {@link PacketError}; works across bundles, where `instanceof` does not. */
export function isPacketError(error: unknown): error is PacketError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Throws for a packet that is none. */
export function refuse(why: string): never {
  throw new PacketError(`packet: ${why}`)
}
