import { join } from 'node:path'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { definePlugin } from '@cni/skel'
import { serveDaemon, shim } from '@cni/skel/daemon'
import { testPlugin } from '@cni/skel/testing'
import { beforeEach, expect, test } from 'vitest'
import { tempFolder } from './temp-folder.ts'

let folder: string
beforeEach(() => {
  folder = tempFolder()
})

const plugin = definePlugin({
  name: 'thick',
  add: (c) => ({ dns: { domain: `${c.netns.ino}` } }),
  del(c) {
    if (c.netns !== undefined) throw new Error('not gone')
  },
})

test("the daemon opens the runtime's namespace, bound or of a process, and rejects its own", async () => {
  const socket = join(folder, 'thick.sock')
  await using _ = await serveDaemon(plugin, { socket, stderr: () => {} })
  await using pod = await tempNetns()
  const tester = testPlugin(shim({ name: 'thick', socket }), { netns: pod })
  expect((await tester.add()).result?.dns?.domain).toBe(`${pod.ino}`)

  const inside = netns.start(pod, ['sleep', '60'])
  const path = `/proc/${inside.pid}/ns/net`
  expect((await tester.add({ env: { CNI_NETNS: path } })).result?.dns?.domain).toBe(`${pod.ino}`)
  inside.kill('SIGKILL')
  await inside.done.catch(() => {})
  expect((await tester.add({ env: { CNI_NETNS: path } })).error?.code).toBe(8)
  expect((await tester.del({ env: { CNI_NETNS: path } })).exitCode).toBe(0)

  expect((await tester.add({ env: { CNI_NETNS: `/proc/${process.pid}/ns/net` } })).error?.code).toBe(8)
  expect((await tester.del({ env: { CNI_NETNS: `/proc/${process.pid}/ns/net` } })).exitCode).toBe(0)
})
