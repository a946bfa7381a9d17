import { NetnsError } from '../handle/netns-error.ts'
import { AF_UNIX } from './constants.ts'

/** Largest length of a unix socket's path in bytes: the size of sun_path without the NUL at its end. */
const MAX_BYTES = 107

/** Encodes a path as struct sockaddr_un. Throws for a path that the kernel would refuse. */
export function unixAddress(path: string): Uint8Array {
  const bytes = Buffer.from(path)
  const problem =
    bytes.length === 0
      ? 'it is empty'
      : bytes.includes(0)
        ? 'it contains a NUL'
        : bytes.length > MAX_BYTES
          ? `it has ${bytes.length} bytes, the kernel accepts at most ${MAX_BYTES}`
          : undefined
  if (problem !== undefined) {
    throw new NetnsError('INVALID', `Invalid path for a unix socket: ${JSON.stringify(path)}: ${problem}`, { path })
  }
  return Buffer.concat([Uint8Array.of(AF_UNIX, 0), bytes, Uint8Array.of(0)])
}
