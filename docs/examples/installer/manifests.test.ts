import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

test('the agent, its image and its DaemonSet use the same folders', () => {
  const mounts = [...text('daemon-set.yaml').matchAll(/mountPath: ([^},\s]+)/g)].map(([, path]) => path)
  const [net, bin, source] = [...text('agent-main.ts').matchAll(/'(\/[^']+)'/g)].map(([, path]) => path)
  expect(mounts).toEqual([net, bin, '/host/run/cni', '/host/var/lib/cni'])
  expect(text('Dockerfile')).toContain(`/out/tcp-redirect ${source}/`)
})

test('the DaemonSet does not start the agent with CNI_COMMAND=VERSION', () => {
  expect(text('Dockerfile')).toMatch(/cni-build agent-main\.ts .*--smoke=none/)
})
