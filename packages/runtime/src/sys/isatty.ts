import { call } from './numbers.ts'

const TCGETS = 0x5401
/** Buffer size in bytes for the kernel's struct termios, larger than the struct. */
const TERMIOS = 64

/** Returns true if the descriptor is a terminal. */
export const isatty = (fd: number): boolean =>
  Number.isInteger(fd) && fd >= 0 && call('ioctl', fd, TCGETS, new Uint8Array(TERMIOS)) === 0
