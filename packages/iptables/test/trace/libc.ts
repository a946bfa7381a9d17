const ffi = process.getBuiltinModule('node:ffi') as typeof import('node:ffi')

/** libc functions that the trace tests need, but that `Sys` lacks. */
const { functions: libc } = ffi.dlopen(null, {
  setfsuid: { arguments: ['uint32'], return: 'int32' },
  setfsgid: { arguments: ['uint32'], return: 'int32' },
  recvfrom: { arguments: ['int32', 'pointer', 'uint64', 'int32', 'pointer', 'pointer'], return: 'int64' },
  connect: { arguments: ['int32', 'pointer', 'uint32'], return: 'int32' },
  accept: { arguments: ['int32', 'pointer', 'pointer'], return: 'int32' },
  listen: { arguments: ['int32', 'int32'], return: 'int32' },
  close: { arguments: ['int32'], return: 'int32' },
})

/** Calls `body` with other file-system ids, which become the owner of new sockets. */
export function asOwner<T>(uid: number, gid: number, body: () => T): T {
  libc.setfsgid(gid)
  libc.setfsuid(uid)
  try {
    return body()
  } finally {
    libc.setfsuid(0)
    libc.setfsgid(0)
  }
}

const MSG_DONTWAIT = 0x40

/** Receives a socket's next waiting datagram with its sender's `sockaddr`; `undefined` if no datagram waits. */
export function receive(fd: number): { data: Buffer; from: Buffer } | undefined {
  const data = Buffer.alloc(2048)
  const from = Buffer.alloc(28)
  const length = Buffer.alloc(4)
  length.writeUInt32LE(from.length)
  const size = Number(libc.recvfrom(fd, data, BigInt(data.length), MSG_DONTWAIT, from, length))
  return size < 0 ? undefined : { data: data.subarray(0, size), from }
}

export const connect = (fd: number, to: Buffer): number => libc.connect(fd, to, to.length)
export const listen = (fd: number): number => libc.listen(fd, 1024)
export const close = (fd: number): number => libc.close(fd)

/** Accepts the next waiting connection of a listening socket; -1 if no connection waits. */
export const accept = (fd: number): number => libc.accept(fd, null, null)
