import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { plugin } from '../src/plugin.ts'
import { startStandIn } from '../src/testing/stand-in.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contiv-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const args = { K8S_POD_NAME: 'utPod', K8S_POD_NAMESPACE: 'utK8sNS', K8S_POD_INFRA_CONTAINER_ID: 'infra' }

test('the daemon gets a bound namespace by a process path, and the process ends afterwards', async () => {
  const socket = join(folder, 'contiv.sock')
  await using daemon = await startStandIn({ socket })
  await using pod = await tempNetns()
  const tester = testPlugin(plugin, { conf: { contiv: { socket, log_file: '' } }, args, netns: pod })
  const { result } = await tester.add()
  expect(result?.interfaces).toEqual([{ name: 'eth0', sandbox: pod.path }])
  expect((await tester.del()).exitCode).toBe(0)
  expect(daemon.requests).toHaveLength(2)
  for (const { body, netnsInode } of daemon.requests) {
    const path: string = JSON.parse(body).CNI_NETNS
    expect(path).toMatch(/^\/proc\/\d+\/ns\/net$/)
    expect(netnsInode).toBe(pod.ino)
    expect(isSleeping(path)).toBe(false)
  }
})

test('the process also ends if the daemon fails, and at the deadline', async () => {
  const socket = join(folder, 'contiv.sock')
  await using daemon = await startStandIn({ socket, fault: '500 with JSON' })
  await using pod = await tempNetns()
  const call = { conf: { contiv: { socket, log_file: '' } }, args, netns: pod }
  expect((await testPlugin(plugin, call).add()).error?.code).toBe(1)
  daemon.fault = 'hang'
  expect((await testPlugin({ ...plugin, timeout: 500 }, call).add()).error?.code).toBe(11)
  expect(daemon.requests).toHaveLength(2)
  for (const { body } of daemon.requests) expect(isSleeping(JSON.parse(body).CNI_NETNS)).toBe(false)
})

/** True if the holder still runs. Its process id may belong to another process. */
function isSleeping(path: string): boolean {
  const file = path.replace('ns/net', 'comm')
  return existsSync(file) && readFileSync(file, 'utf8') === 'sleep\n'
}
