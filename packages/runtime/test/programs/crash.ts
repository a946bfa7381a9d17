/** Main function of a test program, whose first argument selects how the program ends. */
export default function main(): void {
  const [, , way] = process.argv
  process.on('exit', (code) => process.stdout.write(`exit ${code} ${process.exitCode}\n`))
  switch (way) {
    case 'throw':
      throw new TypeError('thrown')
    case 'timer':
      setTimeout(() => {
        throw new Error('of a timer')
      }, 1)
      break
    case 'reject':
      void Promise.reject(new Error('rejected'))
      break
    case 'late':
      handleLate()
      break
    case 'caught':
      process.on('uncaughtException', (error, origin) => process.stdout.write(`${origin} ${error.message}\n`))
      void Promise.reject(new Error('rejected'))
      setTimeout(() => {
        throw new Error('of a timer')
      }, 1)
      break
    case 'exit':
      process.stdout.write('before ')
      process.exit(9)
      break
    case 'exitCode':
      process.exitCode = 4
      break
    case 'exit in exit':
      process.on('exit', () => process.exit(3))
      break
    case 'stdin':
      void readAll()
      break
    default:
      process.stdout.write(`${process.argv.length} ${JSON.stringify(process.argv.slice(2))} ${process.env.MARK}\n`)
  }
}

function handleLate(): void {
  const promise = Promise.reject(new Error('handled in time'))
  process.nextTick(() => promise.catch(() => process.stdout.write('handled\n')))
}

async function readAll(): Promise<void> {
  let size = 0
  for await (const chunk of process.stdin) size += chunk.length
  process.stdout.write(`${size} bytes\n`)
}
