import { show } from './show.ts'

/** Main function of a test program that checks the first line of stacks. */
export default function main(): void {
  show('stack', () => {
    const error = new TypeError('message')
    const holder: { stack?: string } = {}
    Error.captureStackTrace(holder)
    return [
      error.stack?.split('\n')[0],
      /^\s{4}at \S/.test(error.stack?.split('\n')[1] ?? ''),
      /^Error\n\s{4}at /.test(holder.stack ?? ''),
    ]
  })
  show('engine error stack', () => {
    try {
      ;(null as unknown as { x: { y: number } }).x.y
    } catch (error) {
      return error instanceof TypeError && error.stack?.startsWith('TypeError: ')
    }
    return false
  })
}
