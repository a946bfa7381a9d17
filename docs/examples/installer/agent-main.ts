import { agent } from './agent.ts'

const PATHS = { netDir: '/host/etc/cni/net.d', binDirs: ['/host/opt/cni/bin'], sourceDir: '/opt/cni/bin' }
const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())

void agent(PATHS, stop.signal).then(({ errors }) => {
  for (const error of errors) process.stderr.write(`${error.message}\n`)
  process.exitCode = errors.length === 0 ? 0 : 1
})
