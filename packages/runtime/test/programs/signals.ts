/** Main function of a test program that handles only the first SIGTERM. */
export default function main(): void {
  process.stdin.on('data', () => {})
  process.on('SIGTERM', (signal, number) => {
    process.stdout.write(`got ${signal} ${number}\n`)
    process.removeAllListeners('SIGTERM')
    process.stdout.write('released\n')
  })
  process.on('exit', (code) => process.stdout.write(`exit ${code}\n`))
  process.stdout.write('ready\n')
}
