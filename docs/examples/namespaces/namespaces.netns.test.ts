import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { fetchNamespace, handOut } from './hand-over.ts'
import { describePod } from './interfaces.ts'
import { listenIn } from './listen.ts'
import { neighbours } from './neighbours.ts'
import { connect } from './veth.ts'

test('a pod is described from outside', async () => {
  await using pod = await tempNetns()
  const { names, links, table } = await describePod(pod.path)
  expect({ names, links }).toEqual({ names: ['lo'], links: ['lo'] })
  expect(table).toContain('127.0.0.1/8')
})

test('a pod is connected only once', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  expect(await connect(pod, node)).toBe(true)
  expect(await connect(pod, node)).toBe(false)
})

test('the neighbours of a pod are listed', async () => {
  await using node = await tempNetns()
  await using pod = await tempNetns()
  await connect(pod, node)
  const entry = ['10.42.0.7', 'lladdr', '02:00:00:00:00:07', 'dev', 'eth0'] as const
  await netns.exec(pod, ['ip', 'neighbour', 'add', ...entry])
  expect(neighbours(pod)).toContain('10.42.0.7')
})

test('a server listens only in the pod', async () => {
  await using pod = await tempNetns()
  const server = await listenIn(pod, 8080)
  const { stdout } = await netns.exec(pod, ['ss', '-Hltn'])
  server.close()
  expect(stdout).toContain(':8080')
})

test('a namespace is passed to another process, which gets its own handle', async () => {
  await using pod = await tempNetns()
  const folder = mkdtempSync(join(tmpdir(), 'cni-guide-'))
  const errors: unknown[] = []
  try {
    using listener = handOut(join(folder, 's'), pod, (error) => errors.push(error))
    using got = await fetchNamespace(listener.path)
    expect([got.isSame(pod), got.fd === pod.fd, errors]).toEqual([true, false, []])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
