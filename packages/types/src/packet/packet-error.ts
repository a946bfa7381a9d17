/** Error for an invalid packet text or value. The message names the invalid address, port or word. */
class PacketError extends Error {
  readonly code = 'PARSE'
}

Object.defineProperty(PacketError.prototype, 'name', { value: 'PacketError', configurable: true })

/** Throws `PacketError` with a message that names the invalid part of the packet. */
export function refuse(why: string): never {
  throw new PacketError(`packet: ${why}`)
}
