import { isatty } from '../sys/isatty.ts'

export { isatty }

export default { isatty }
