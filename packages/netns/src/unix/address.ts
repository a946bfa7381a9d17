import { NetnsError } from '../handle/netns-error.ts'
import { AF_UNIX } from './constants.ts'

/** sun_path, with a NUL at its end. */
const MOST_BYTES = 107

/** struct sockaddr_un. Throws `NetnsError('INVALID')`, with the path, for one that the kernel would not take or cut. */
export function unixAddress(path: string): Uint8Array {
  const bytes = Buffer.from(path)
  const problem =
    bytes.length === 0
      ? 'it is empty'
      : bytes.includes(0)
        ? 'it contains a NUL'
        : bytes.length > MOST_BYTES
          ? `it has ${bytes.length} bytes, and the kernel takes ${MOST_BYTES}`
          : undefined
  if (problem !== undefined) {
    throw new NetnsError('INVALID', `No path for a unix socket: ${JSON.stringify(path)}: ${problem}`, { path })
  }
  return Buffer.concat([Uint8Array.of(AF_UNIX, 0), bytes, Uint8Array.of(0)])
}
