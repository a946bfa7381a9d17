import { agent } from './agent.ts'

const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())

const { CNI_NET_DIR: netDir = '/host/etc/cni/net.d', CNI_BIN_DIR = '/host/opt/cni/bin' } = process.env
agent({ netDir, binDirs: [CNI_BIN_DIR], sourceDir: '/opt/cni/bin' }, stop.signal).then(({ errors }) => {
  process.exitCode = errors.length === 0 ? 0 : 1
})
