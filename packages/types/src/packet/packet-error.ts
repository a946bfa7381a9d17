/** An invalid packet: a wrong address, port or word. The message names it. */
class PacketError extends Error {
  readonly code = 'PARSE'
}

Object.defineProperty(PacketError.prototype, 'name', { value: 'PacketError', configurable: true })

/** Throws `PacketError`. */
export function refuse(why: string): never {
  throw new PacketError(`packet: ${why}`)
}
